// Owns the proof that the arrow check finds each kind of bad arrow, and nothing in a sound tree.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkArrows } from '../check-arrows.mjs';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'arrows-'));
  put('package.json', { name: 'root', devDependencies: { vitest: '4.1.12' } });
  put('packages/types/package.json', manifest('types'));
  put('packages/types/src/index.ts', 'export {};\n');
  put('packages/core/package.json', manifest('core', { dependencies: { '@treblehook/types': 'workspace:^' } }));
  put('packages/core/src/index.ts', "export type { A } from '@treblehook/types';\n");
  put('packages/agent/package.json', manifest('agent', { dependencies: { '@treblehook/core': 'workspace:^' } }));
  put(
    'packages/agent/src/index.ts',
    "import { readFileSync } from 'node:fs';\nexport const a = await import('@treblehook/core');\n",
  );
  put('packages/agent/test/a.test.ts', "import { test } from 'vitest';\nimport { a } from '../src/index.js';\n");
});
afterEach(() => rmSync(base, { recursive: true }));

const problems = () => checkArrows(base).problems;

test('a sound tree has no problem, and its imports are counted', () => {
  expect(checkArrows(base)).toEqual({ problems: [], imports: 5, members: 3 });
});

describe('in manifests', () => {
  test('an upward dependency is found', () => {
    put('packages/types/package.json', manifest('types', { dependencies: { '@treblehook/agent': 'workspace:^' } }));
    expect(problems()).toContain('packages/types/package.json: dependencies @treblehook/agent is no allowed arrow');
  });

  test('a development dependency is held to its own list', () => {
    put(
      'packages/plugins/p/package.json',
      manifest('plugin-p', { devDependencies: { '@treblehook/core': 'workspace:^' } }),
    );
    expect(problems()).toEqual([]);
    put(
      'packages/plugins/p/package.json',
      manifest('plugin-p', { dependencies: { '@treblehook/core': 'workspace:^' } }),
    );
    expect(problems()).toEqual(['packages/plugins/p/package.json: dependencies @treblehook/core is no allowed arrow']);
  });

  test('a cycle through development dependencies is named along its way', () => {
    const plugin = { '@treblehook/plugin-p': 'workspace:^' };
    put('packages/host/package.json', manifest('host', { dependencies: plugin }));
    put('packages/testing/package.json', manifest('testing', { dependencies: { '@treblehook/host': 'workspace:^' } }));
    put(
      'packages/plugins/p/package.json',
      manifest('plugin-p', { devDependencies: { '@treblehook/testing': 'workspace:^' } }),
    );
    expect(problems()).toEqual([
      'package.json: the packages form a cycle: @treblehook/host → @treblehook/plugin-p → @treblehook/testing → @treblehook/host',
    ]);
  });

  test('a package without arrows of its own is found', () => {
    put('packages/stray/package.json', manifest('stray'));
    expect(problems()).toEqual(['packages/stray/package.json: no arrows are written for @treblehook/stray']);
  });

  test('a range of versions is found, and so is a workspace package by version', () => {
    put(
      'packages/core/package.json',
      manifest('core', { dependencies: { '@treblehook/types': '0.1.0', mitt: '^3.0.1' } }),
    );
    expect(problems()).toEqual([
      'packages/core/package.json: dependencies @treblehook/types must use the workspace protocol',
      'packages/core/package.json: dependencies mitt must name one exact version, not ^3.0.1',
    ]);
  });

  test('references of the compiler that differ from the dependencies are found', () => {
    put('tsconfig.build.json', { references: [{ path: 'packages/core' }] });
    put('packages/core/tsconfig.json', { references: [{ path: '../agent' }] });
    expect(problems()).toEqual([
      'packages/core/tsconfig.json: references lack ../types, a dependency',
      'packages/core/tsconfig.json: references name ../agent, no dependency',
    ]);
  });
});

describe('in imports', () => {
  test.each([
    [
      'an upward import',
      "import '@treblehook/agent';",
      "'@treblehook/agent' is no allowed arrow from @treblehook/core",
    ],
    [
      'a type-only upward import',
      "import type { T } from '@treblehook/agent';",
      "'@treblehook/agent' is no allowed arrow from @treblehook/core",
    ],
    [
      'an import inside a type',
      "type T = import('@treblehook/agent').T;",
      "'@treblehook/agent' is no allowed arrow from @treblehook/core",
    ],
    [
      'a dynamic upward import',
      "await import('@treblehook/agent');",
      "'@treblehook/agent' is no allowed arrow from @treblehook/core",
    ],
    [
      'a re-export',
      "export * from '@treblehook/agent';",
      "'@treblehook/agent' is no allowed arrow from @treblehook/core",
    ],
    ['an undeclared package', "import 'left-pad';", "'left-pad' is not declared in packages/core/package.json"],
    ['a tool of the root in a source', "import 'vitest';", "'vitest' is not declared in packages/core/package.json"],
    [
      'a path into another package',
      "import '../../agent/src/index.js';",
      "'../../agent/src/index.js' leaves packages/core/src",
    ],
    ['a test from a source', "import '../test/a.js';", "'../test/a.js' leaves packages/core/src"],
    ['its own name', "import '@treblehook/core';", "'@treblehook/core' imports its own package by name"],
    [
      'a file that is not exported',
      "import '@treblehook/types/inner';",
      "'@treblehook/types/inner' is not exported by @treblehook/types",
    ],
  ])('%s is found with its line', (_, statement, message) => {
    put('packages/core/src/bad.ts', `// a comment naming '@treblehook/host' is no import\n${statement}\n`);
    expect(problems()).toEqual([`packages/core/src/bad.ts:2: ${message}`]);
  });
});

describe('in the root', () => {
  test('an undeclared import of a script is found, and one that enters a package', () => {
    put('scripts/a.mjs', "import 'left-pad';\nimport './b.mjs';\nimport '../packages/core/src/index.js';\n");
    expect(problems()).toEqual([
      "scripts/a.mjs:1: 'left-pad' is not declared in package.json",
      "scripts/a.mjs:3: '../packages/core/src/index.js' enters a package",
    ]);
  });

  test('what the tests of a package share is open to the tests of the root', () => {
    put('packages/core/test/wire.ts', 'export {};\n');
    put('test/a.test.ts', "import '../packages/core/test/wire.js';\n");
    expect(problems()).toEqual([]);
  });
});

/** A manifest of the shape every public package has. */
function manifest(name: string, more: object = {}) {
  return { name: `@treblehook/${name}`, version: '0.1.0', exports: { '.': './dist/index.js' }, ...more };
}

function put(path: string, content: string | object) {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}
