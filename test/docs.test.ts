// Owns the laws of the written pages: code in them is code that runs, links lead somewhere, the drawing shows every point.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { agentHooks, channelHooks, type Catalogue } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/workspace.mjs';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
/** Pages whose code must stand in a file that runs. */
const written = [
  'README.md',
  ...below('docs'),
  'examples/README.md',
  ...['types', 'core', 'testing'].map((name) => `packages/${name}/README.md`),
];
const linking = [
  ...new Set([
    ...written,
    'AGENTS.md',
    'CONTRIBUTING.md',
    'conformance/README.md',
    ...below('packages').filter((path) => !path.includes('CHANGELOG')),
  ]),
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** The file that the comment in front of the block names. */
  readonly from: string | undefined;
  readonly lines: readonly string[];
}

function blocksOf(page: string): Block[] {
  const lines = read(page).split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language] = /^( *)```(\w*)$/.exec(lines[at]!) ?? [];
    if (indent === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    const from = /^ *<!-- from (\S+) -->$/.exec(lines[at - 1] ?? '')?.[1];
    const own = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ page, line: at + 1, language: language!, from, lines: own });
    at = end;
  }
  return blocks;
}

/** The runs of lines between the elisions of a block, with empty lines around them dropped. */
function piecesOf({ lines }: Block): string[] {
  return lines
    .join('\n')
    .split(/^ *\/\/ …$/m)
    .map((piece) => piece.replace(/^\n+|\s+$/g, ''))
    .filter((piece) => piece !== '');
}

const blocks = written.flatMap(blocksOf);

describe('a block of code', () => {
  it.each(
    blocks.filter(({ language }) => language === 'ts').map((block) => [`${block.page}:${block.line}`, block] as const),
  )('%s says from which program or contract it is', (_, { from }) => {
    expect(from).toMatch(/^(examples\/[\w-]+|packages\/types\/src|packages\/agent\/src(?:\/[\w-]+)?)\/[\w-]+\.ts$/);
  });

  it.each(
    blocks.filter(({ from }) => from !== undefined).map((block) => [`${block.page}:${block.line}`, block] as const),
  )('%s is in step with it', (_, block) => {
    const source = `\n${read(block.from!)}`;
    let at = 0;
    for (const piece of piecesOf(block)) {
      const found = source.indexOf(`\n${piece}\n`, at);
      expect(
        found,
        `${block.from} has no such lines${at === 0 ? '' : ' behind those before'}:\n${piece}`,
      ).toBeGreaterThanOrEqual(0);
      at = found + piece.length;
    }
  });

  it('is there: the check above has something to check', () => {
    expect(blocks.filter(({ from }) => from !== undefined).length).toBeGreaterThan(10);
  });
});

/** As GitHub makes them: https://docs.github.com/get-started/writing-on-github (section links). */
const anchorsOf = (page: string): string[] =>
  [...page.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(linking)('every link of %s leads to a file, and to a heading where it names one', (page) => {
  for (const [, target] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target!)) continue;
    const [path = '', anchor] = target!.split('#');
    const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
    expect(existsSync(file), `${page} links to ${target}`).toBe(true);
    if (anchor !== undefined)
      expect(anchorsOf(readFileSync(file, 'utf8')), `${page} links to ${target}`).toContain(anchor);
  }
});

it('the README shows two commands, and no other', () => {
  const commands = blocksOf('README.md')
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines }) => lines);
  expect(commands).toEqual(['npm start', 'npm test']);
});

it.each<readonly [string, number, Catalogue]>([
  ['the run', 0, agentHooks],
  ['a message of a channel', 1, channelHooks],
])('the drawing of %s has every hook point, with its model, in the order of the catalogue', (_, at, catalogue) => {
  const { lines } = blocksOf('docs/lifecycle.md').filter(({ language }) => language === 'text')[at]!;
  const letters = { void: 'V', modifying: 'M', claiming: 'C' } as const;
  const drawn = lines.flatMap((line) => / (\w+ +[VMC])(?: \w+)?$/.exec(line)?.[1]!.replace(/ +/, ' ') ?? []);
  expect(drawn).toEqual(Object.entries(catalogue).map(([name, { model }]) => `${name} ${letters[model]}`));
});

it('the page on embedding has a row for each event of a run, in the order of the union', () => {
  const rows = [...read('docs/how-to/embed-the-loop.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, type]) => type);
  const told = read('packages/agent/src/run/run-told.ts');
  const union = told.slice(told.indexOf('export type AgentEvent'));
  expect(rows).toEqual([...union.matchAll(/readonly type: '([a-z-]+)'/g)].map(([, type]) => type));
});

it('every hook point that a page names in camel case and code exists', () => {
  const points = new Set([...Object.keys(agentHooks), ...Object.keys(channelHooks), 'agentHooks', 'agentEntry']);
  const likePoint = /`((?:before|after|tool|session|agent|llm)[A-Z]\w*)`/g;
  for (const page of written.filter((path) => !path.startsWith(join('docs', 'reference')))) {
    for (const [, name] of read(page).matchAll(likePoint)) expect(points, `${page} names ${name}`).toContain(name);
  }
});
