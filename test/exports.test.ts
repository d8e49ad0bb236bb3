// Owns the list of names that each public package exports: a name appears or goes only with this snapshot.
import { pathToFileURL } from 'node:url';
import ts from 'typescript6';
import { expect, test } from 'vitest';
import { entries, members } from '../scripts/workspace.mjs';

const offered = members()
  .filter(({ manifest }) => manifest.private !== true)
  .flatMap(entries);

test.each(offered)('$specifier exports these names', async ({ source }) => {
  const names = Object.keys((await import(pathToFileURL(source).href)) as object);
  expect(names.toSorted()).toMatchSnapshot();
});

const program = ts.createProgram(
  offered.map(({ source }) => source),
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, noLib: true, types: [] },
);

test.each(offered)('$specifier exports these types', async ({ source }) => {
  const values = new Set(Object.keys((await import(pathToFileURL(source).href)) as object));
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)!;
  const names = checker.getExportsOfModule(module).map(({ name }) => name);
  expect(names.filter((name) => !values.has(name)).toSorted()).toMatchSnapshot();
});
