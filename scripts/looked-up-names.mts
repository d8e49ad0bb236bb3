// Owns the reading of sources for the names under which something may be looked up on an object.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript6';

/** What no attack by a name can stand on: it has laws of its own (`then`), or makes JavaScript itself fail (descriptors). */
const apart: ReadonlySet<string> = new Set(
  Object.getOwnPropertyNames(Object.prototype).concat([
    'then',
    'get',
    'set',
    'value',
    'writable',
    'enumerable',
    'configurable',
  ]),
);

/**
 * The names of members that are read, written, declared or destructured in these files and folders, and each text that could
 * be one: a name that is looked up, if only by an index, stands in one of these ways somewhere. Words of comments and names
 * of variables do not. Folders by the names of `without` are passed over.
 */
export function lookedUpNames(places: readonly (string | URL)[], without: readonly string[] = []): readonly string[] {
  const names = new Set<string>();
  for (const file of places.flatMap((place) => filesIn(pathOf(place), without))) collect(file, names);
  return [...names].filter((name) => !apart.has(name));
}

const pathOf = (place: string | URL): string =>
  typeof place === 'string' ? place : decodeURIComponent(place.pathname);

function filesIn(path: string, without: readonly string[]): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !without.includes(name))
    .flatMap((name) => filesIn(join(path, name), without));
}

function collect(file: string, names: Set<string>): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined && /^[A-Za-z_$][\w$]*$/.test(name)) names.add(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isBindingElement(node)) return (node.propertyName ?? node.name).getText();
  const isMember = ts.isObjectLiteralElement(node) || ts.isTypeElement(node) || ts.isClassElement(node);
  return isMember ? node.name?.getText() : undefined;
}
