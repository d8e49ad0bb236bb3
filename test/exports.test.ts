// Owns the list of names that each public package exports: a name appears or goes only with this snapshot.
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { entries, members } from '../scripts/workspace.mjs';

const offered = members()
  .filter(({ manifest }) => manifest.private !== true)
  .flatMap(entries);

test.each(offered)('$specifier exports these names', async ({ source }) => {
  const names = Object.keys((await import(pathToFileURL(source).href)) as object);
  expect(names.toSorted()).toMatchSnapshot();
});
