/** The files of a new plugin: a package that builds, and passes its own tests, as it is. */
import type { PluginName } from './name.js';

/** Versions that the package asks for. */
export interface TemplateVersions {
  /** Of `@treblehook/types` and `@treblehook/testing`. */
  readonly treblehook: string;
}

/** Text by path. */
export function pluginFiles(plugin: PluginName, versions: TemplateVersions): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(plugin, versions), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(everything, null, 2)}\n`,
    'tsconfig.build.json': `${JSON.stringify(sources, null, 2)}\n`,
    '.gitignore': 'node_modules/\ndist/\n*.tgz\n',
    'src/index.ts': source(plugin),
    'test/plugin.test.ts': test(plugin),
    'README.md': readme(plugin),
  };
}

/** The name of its tool; a name of JavaScript, so that a wire takes it. */
const toolOf = ({ id }: PluginName): string => `${id.replaceAll('-', '_')}_count`;

const manifest = (plugin: PluginName, { treblehook }: TemplateVersions): object => ({
  name: plugin.name,
  version: '0.1.0',
  description: 'A plugin for Treblehook.',
  keywords: ['treblehook', 'treblehook-plugin'],
  license: 'MIT',
  type: 'module',
  files: ['dist', 'README.md'],
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  treblehook: {
    plugin: './dist/index.js',
    id: plugin.id,
    apiVersion: 1,
    hooks: ['beforePromptBuild', 'toolEnd'],
    tools: [toolOf(plugin)],
    config: {
      type: 'object',
      properties: { style: { type: 'string', minLength: 1, description: 'A line at the end of the system text.' } },
      additionalProperties: false,
    },
  },
  scripts: {
    build: 'tsc -p tsconfig.build.json',
    check: 'tsc',
    test: 'vitest run',
    prepublishOnly: 'npm run check && npm test && npm run build',
  },
  dependencies: { '@treblehook/types': `^${treblehook}` },
  devDependencies: {
    '@treblehook/testing': `^${treblehook}`,
    '@types/node': '^20.19.0',
    typescript: '^7.0.0',
    vitest: '^4.1.0',
  },
  engines: { node: '>=20.19' },
});

const everything = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    noEmit: true,
  },
  include: ['src', 'test'],
};

const sources = {
  extends: './tsconfig.json',
  compilerOptions: { noEmit: false, declaration: true, rootDir: 'src', outDir: 'dist' },
  include: ['src'],
};

const source = (
  plugin: PluginName,
): string => `/** The plugin \`${plugin.id}\`: a line in the system text, a word about each tool that fails, and a tool that counts words. */
import { definePlugin, defineTool, settingsSchema } from '@treblehook/types';

export default definePlugin({
  id: '${plugin.id}',

  // Any Standard Schema will do: zod, valibot, arktype. A key that is not named here is refused before setup.
  config: settingsSchema((settings) => {
    const { style } = settings.fields(['style']);
    return { style: style?.text() ?? 'Answer in one sentence.' };
  }),

  // What is kept between two hooks is made in here: two hosts in one process share nothing.
  setup({ hooks, tools, config, log }) {
    // Modifying: what it returns is an amendment.
    hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: config.style }), { id: 'style' });

    // Void: it observes. What it returns is ignored, and when it throws, the run goes on.
    hooks.registerVoid(
      'toolEnd',
      ({ name, outcome }) => {
        if (outcome === 'error') log.warn(\`\${name} failed\`);
      },
      { id: 'failures' },
    );

    tools.register(
      defineTool({
        name: '${toolOf(plugin)}',
        description: 'Counts the words of a text.',
        input: settingsSchema((args) => {
          const { text } = args.fields(['text']);
          return { text: (text ?? args.lacks('text', 'give the text to count')).text() };
        }),
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        concurrency: 'safe', // it changes nothing
        annotations: { readOnlyHint: true },
        execute: ({ text }) => String(text.split(/\\s+/).filter((word) => word !== '').length),
      }),
    );
  },
});
`;

const test = (plugin: PluginName): string => `// What every plugin keeps, and what this one is for.
import { readFileSync } from 'node:fs';
import { pluginLaws, testHost } from '@treblehook/testing';
import { describe, expect, test } from 'vitest';
import plugin from '../src/index.js';

const { treblehook: declared } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly treblehook: { readonly hooks: string[]; readonly tools: string[] };
};
const count = { name: '${toolOf(plugin)}', args: { text: 'to be or not to be' } };

describe('the laws of plugins', () => {
  for (const { name, run } of pluginLaws({ plugin, declared }, { calls: [count] })) test(name, run);
});

test('the model is told the style, and the tool counts', async () => {
  const { agent, model, faults } = await testHost({
    plugins: [{ plugin, declared, config: { style: 'Answer with a number.' } }],
    policy: { rules: [], unlisted: { plugin: 'silent' } }, // nobody is asked about its tool
    script: [{ calls: [count] }, 'Six.'],
  });
  const { text, toolCalls } = await agent.run('How many words?');
  expect(text).toBe('Six.');
  expect(toolCalls).toMatchObject([{ outcome: 'ok', output: '6' }]);
  expect(model.calls[0]?.prompt[0]).toMatchObject({ role: 'system', content: 'Answer with a number.' });
  expect(faults).toEqual([]);
});

test('settings that it does not know are refused', async () => {
  await expect(testHost({ plugins: [{ plugin, config: { stile: 'x' } }] })).rejects.toThrow(/stile/);
});
`;

const readme = (plugin: PluginName): string => `# ${plugin.name}

A plugin for [Treblehook](https://www.npmjs.com/package/@treblehook/host): a line at the end of the system text, a warning about each tool that fails, and a tool that counts words.

\`\`\`sh
npm install ${plugin.name}
\`\`\`

\`\`\`ts
import { createHost } from '@treblehook/host';
import plugin from '${plugin.name}';

const host = await createHost({
  model: 'offline',
  plugins: [{ plugin, config: { style: 'Answer in one sentence.' } }],
  personality: { id: 'writer', plugins: ['${plugin.id}'] },
});
\`\`\`

## What it may change

| hook point | what |
|---|---|
| \`beforePromptBuild\` | appends \`style\` to the system text |
| \`toolEnd\` | nothing: it observes |

Its tool \`${toolOf(plugin)}\` changes nothing.

## Config

| key | kind | default | |
|---|---|---|---|
| \`style\` | text | \`Answer in one sentence.\` | the line |

## Known limitations

- Words are what stands between blanks.
`;
