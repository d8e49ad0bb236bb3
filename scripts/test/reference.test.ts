// Owns the laws of the reference pages: they say all that the catalogue and the error table say, and are known when stale.
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  agentHooks,
  channelHooks,
  claimingHook,
  defineHooks,
  errorTable,
  modifyingHook,
  voidHook,
} from '@treblehook/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../reference.mjs';
import { agentPage } from '../reference/agent-page.mjs';
import { apiPages } from '../reference/api-page.mjs';
import { readDeclarations, readPublic } from '../reference/declarations.mjs';
import { errorsPage } from '../reference/errors-page.mjs';
import { hooksPage } from '../reference/hooks-page.mjs';
import { shapes, shapesPage } from '../reference/shapes-page.mjs';
import { entries, members, root } from '../workspace.mjs';

/** The text below a heading, up to the next one. */
const sectionOf = (page: string, name: string): string => page.split(`\n## ${name}\n`)[1]!.split('\n## ')[0]!;

const declarations = readDeclarations();
const catalogue = defineHooks(agentHooks, channelHooks);

describe('the page of the hook points', () => {
  const page = hooksPage(catalogue, declarations);

  it('has each point with its model, its discipline, its fields, its keys and its other names', () => {
    for (const [name, point] of Object.entries(catalogue)) {
      expect(page).toContain(`| [\`${name}\`](#${name.toLowerCase()}) |`);
      const section = sectionOf(page, name);
      expect(section).toContain(point.summary);
      expect(section.toLowerCase()).toContain(`${point.model}, \`${point.discipline}\``);
      for (const [field, kind] of Object.entries(point.fields ?? {})) {
        expect(section).toContain(`| \`${field}\` | \`${kind}\` |`);
      }
      for (const key of Object.keys(point.keys)) expect(section, name).toContain(`\n| \`${key}\` |`);
      for (const other of point.aka) expect(section).toContain(`\`${other}\``);
    }
  });

  it('shows the types of each payload and answer as they are written, or says where on the pages they stand', () => {
    expect([...declarations.points.keys()].toSorted()).toEqual(Object.keys(catalogue).toSorted());
    for (const [name, carried] of declarations.points) {
      expect(carried.length, name).toBeGreaterThan(0);
      const section = sectionOf(page, name);
      const seen = new Set<string>();
      const told = (type: string): void => {
        const { text, names } = declarations.types.get(type)!;
        if (seen.has(type)) return;
        seen.add(type);
        if (section.includes(`](shapes.md#${type.toLowerCase()})`)) return;
        const [, at] = new RegExp(`\`${type}\` at \\[\`(\\w+)\``).exec(section) ?? [];
        expect(at === undefined ? section : sectionOf(page, at), `${type} of ${name}`).toContain(
          `\n\`\`\`ts\n${text}\n\`\`\``,
        );
        if (at === undefined) names.forEach(told);
      };
      carried.forEach(told);
    }
    expect(page.match(/^export interface ToolEnd /gm)).toHaveLength(1);
  });

  it('says what is special about a point: budget, order, locks, who fires it, how keys combine', () => {
    const all = hooksPage(
      defineHooks({
        seen: voidHook<{ readonly at: number }>({
          summary: 'S.',
          fields: { at: 'number' },
          budgetMs: 1_250,
          owner: 'acme',
        }),
        filled: modifyingHook<{ readonly a: string }, { one: string; many: readonly string[]; own: string }>({
          discipline: 'merge',
          summary: 'S.',
          keys: { one: 'string', many: 'strings', own: 'string' },
          collect: ['many'],
          hostKeys: ['own'],
          firedBy: 'filler',
        }),
        shaped: modifyingHook<{ readonly a: string }, { a: string; stop: string }>({
          discipline: 'pipeline',
          summary: 'A | bar.',
          keys: { a: 'string', stop: 'string' },
          terminal: ['stop'],
          order: ['*', 'last?'],
          locks: { last: ['a'] },
          check: () => undefined,
        }),
        claimed: claimingHook<{ readonly a: string }, { by: string }>({
          discipline: 'route',
          summary: 'S.',
          keys: { by: 'string' },
        }),
      }),
    );
    expect(sectionOf(all, 'seen')).toMatch(/1,250 ms.*the plugin `acme` through `ctx\.fire`/);
    const filled = sectionOf(all, 'filled');
    expect(filled).toMatch(/10,000 ms.*the host handler `filler` through `ctx\.fire`/);
    expect(filled).toContain('| `one` | `string` | the first value wins |');
    expect(filled).toContain('| `many` | `strings` | collects: concatenated in plan order |');
    expect(filled).toContain('| `own` | `string` | the first value wins; host key: only a host handler may set it |');
    const shaped = sectionOf(all, 'shaped');
    expect(shaped).toContain('| `a` | `string` | the last value feeds forward |');
    expect(shaped).toContain('| `stop` | `string` | terminal: ends the chain |');
    expect(shaped).toMatch(/House order: `\*`, `last\?`\..*\nBehind `last` is final: `a`\./);
    expect(shaped).toContain('`check`');
    expect(all).toContain('| pipeline | A \\| bar. |');
    expect(sectionOf(all, 'claimed')).toContain('| `handled` | `true` |');
    expect(sectionOf(all, 'claimed')).toContain('| `by` | `string` |');
  });
});

describe('the page of the shapes', () => {
  const page = shapesPage(declarations);

  it('has each shape as it is written, and each is exported by the package', async () => {
    const index = await readFile(join(root, 'packages/types/src/index.ts'), 'utf8');
    for (const name of shapes) {
      expect(page).toContain(`\n### ${name}\n`);
      const { file, text } = declarations.types.get(name)!;
      expect(page).toContain(`\n\`\`\`ts\n${text}\n\`\`\`\n`);
      const whole = `export type * from './${basename(file, '.ts')}.js'`;
      expect(index.includes(whole) || new RegExp(`\\b${name}\\b`).test(index), name).toBe(true);
    }
  });

  it('says what each outcome of a tool means', () => {
    const { text } = declarations.types.get('ToolOutcome')!;
    const values = [...text.matchAll(/'([\w-]+)'/g)].map(([, value]) => value!);
    expect(values).toContain('not-started');
    for (const value of values) expect(page).toMatch(new RegExp(`^\\| \`${value}\` \\| \\w`, 'm'));
  });

  it('is not written when a shape is gone, or names a type that no page shows', () => {
    const { types } = declarations;
    const without = new Map(types);
    without.delete('Origin');
    expect(() => shapesPage({ ...declarations, types: without })).toThrow("no type 'Origin'");
    const more = new Map(types).set('Origin', { ...types.get('Origin')!, names: ['Tool'] });
    expect(() => shapesPage({ ...declarations, types: more })).toThrow("'Origin' names 'Tool'");
  });
});

describe('the page of the agent', () => {
  const agent = readPublic();
  const page = agentPage(declarations, agent);

  it('has each type that the index of the agent exports, and those of a log, as they are written', async () => {
    const index = await readFile(join(root, 'packages/agent/src/index.ts'), 'utf8');
    const exported = [...index.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, names]) => names!.match(/\w+/g)!);
    expect(exported).toContain('SessionView');
    for (const name of [...exported, 'Grant', 'SessionSummary', 'StoredRecord', 'SessionRecord']) {
      const { text } = (agent.get(name) ?? declarations.types.get(name))!;
      expect(page.split(`\n### ${name}\n`), name).toHaveLength(2);
      expect(page).toContain(`\n\`\`\`ts\n${text}\n\`\`\`\n`);
    }
  });

  it('shows what a type keeps for itself in its file behind it', () => {
    expect(sectionOf(page, 'Several agents')).toMatch(/### RuntimeOptions\n[^#]*### OfOne\n/);
  });

  it('is not written when a type is gone, or when the agent exports one more', () => {
    const without = new Map(agent);
    without.delete('RunResult');
    expect(() => agentPage(declarations, without)).toThrow("no type 'RunResult'");
    const more = new Map(agent).set('Newcomer', { ...agent.get('Agent')!, name: 'Newcomer' });
    expect(() => agentPage(declarations, more)).toThrow("exports 'Newcomer'");
  });
});

it('the page of the errors has each code with its message and its meaning', () => {
  const page = errorsPage(errorTable);
  for (const [code, { message, when }] of Object.entries(errorTable)) {
    expect(page).toContain(`| \`${code}\` | ${when} | \`${message}\` |`);
  }
});

describe('the command', () => {
  let base = '';
  const said: string[] = [];
  const complained: string[] = [];
  const docs = (...flags: string[]): Promise<number> =>
    main(
      flags,
      (line) => said.push(line),
      (line) => complained.push(line),
      base,
    );
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'treblehook-reference-'));
  });
  afterEach(async () => {
    await rm(base, { recursive: true });
    said.length = 0;
    complained.length = 0;
  });

  it('with --check names each page that is missing or stale, writes nothing, and ends with 1', async () => {
    expect(await docs('--check')).toBe(1);
    expect(complained).toEqual([
      'docs: docs/reference/hooks.md is stale: run npm run docs\n',
      'docs: docs/reference/shapes.md is stale: run npm run docs\n',
      'docs: docs/reference/agent.md is stale: run npm run docs\n',
      'docs: docs/reference/errors.md is stale: run npm run docs\n',
      ...[...apiPages().keys()].map((path) => `docs: ${path} is stale: run npm run docs\n`),
    ]);
    await expect(readFile(join(base, 'docs/reference/hooks.md'))).rejects.toThrow('ENOENT');
    expect(await docs()).toBe(0);
    complained.length = 0;
    expect(await docs('--check')).toBe(0);
    expect(complained).toEqual([]);
    await appendFile(join(base, 'docs/reference/errors.md'), ' ');
    expect(await docs('--check')).toBe(1);
    expect(complained).toEqual(['docs: docs/reference/errors.md is stale: run npm run docs\n']);
    expect(said.at(-1)).toBe(`docs: ${4 + apiPages().size} pages, 1 stale\n`);
  });

  it('refuses a flag that it does not know', async () => {
    expect(await docs('--chek')).toBe(2);
    expect(complained[0]).toContain("there is no '--chek': use --check");
  });
});

describe('the public surface of a package', () => {
  const pages = apiPages();

  it.each([...pages.keys()])('%s names each value that it exports', async (path) => {
    const member = members().find(({ dir }) => path === relative(root, join(dir, 'api.md')))!;
    const page = pages.get(path)!;
    for (const { specifier, source } of entries(member)) {
      const section = sectionOf(page, `\`${specifier}\``);
      for (const name of Object.keys((await import(pathToFileURL(source).href)) as object)) {
        expect(section, name).toMatch(new RegExp(`^export (declare |default )?.*\\b${name}\\b`, 'm'));
      }
    }
  });

  it('has signatures without bodies and without prose', () => {
    const page = pages.get('packages/types/api.md')!;
    expect(page).toContain('export declare function definePlugin<');
    expect(page).toContain('export const agentHooks = defineHooks(');
    expect(page).not.toMatch(/\/\*\*|: any;\n\nexport declare const channelHooks/);
  });
});
