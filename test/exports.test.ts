// Owns the list of names that each public package exports: a name appears or goes only with this snapshot.
import { pathToFileURL } from 'node:url';
import ts from 'typescript6';
import { expect, test } from 'vitest';
import { agentHooks, channelHooks } from '@treblehook/types';
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
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], strict: true, types: [] },
);

test.each(offered)('$specifier exports these types', async ({ source }) => {
  const values = new Set(Object.keys((await import(pathToFileURL(source).href)) as object));
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)!;
  const names = checker.getExportsOfModule(module).map(({ name }) => name);
  expect(names.filter((name) => !values.has(name)).toSorted()).toMatchSnapshot();
});

const catalogues: Readonly<Record<string, object>> = { agentHooks, channelHooks };

test.each(Object.keys(catalogues))('each payload and answer of a point of %s is exported by its name', (of) => {
  const checker = program.getTypeChecker();
  const { source } = offered.find(({ specifier }) => specifier === '@treblehook/types')!;
  const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)!;
  const offeredTypes = checker.getExportsOfModule(module);
  const names = new Set(offeredTypes.map(({ name }) => name));
  const declared = offeredTypes.find(({ name }) => name === of)!;
  const catalogue = checker.getTypeOfSymbol(checker.getAliasedSymbol(declared));
  const points = checker.getPropertiesOfType(catalogue);
  const missing = points.flatMap((point) => {
    const [, , ...carried] = checker.getTypeArguments(checker.getTypeOfSymbol(point) as ts.TypeReference);
    expect(carried, point.name).toHaveLength(2);
    return (
      carried
        // an answer without fields carries nothing that could have a name
        .filter((type) => !(type.flags & ts.TypeFlags.Void) && checker.getPropertiesOfType(type).length > 0)
        .map((type) => (type.aliasSymbol ?? type.symbol).name)
        .filter((name) => !names.has(name))
        .map((name) => `${point.name}: ${name}`)
    );
  });
  expect(points.map(({ name }) => name).toSorted()).toEqual(Object.keys(catalogues[of]!).toSorted());
  expect(missing).toEqual([]);
});
