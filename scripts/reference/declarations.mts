// Owns reading the contracts: the exported types of packages/types as they are written, and which hook point carries which.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript6';
import { root } from '../workspace.mjs';

/** An exported interface or type alias. */
export interface Declaration {
  readonly name: string;
  /** Its file, by its path in the repository. */
  readonly file: string;
  /** As it is written, with its docstring. */
  readonly text: string;
  /** The exported types of the package that it names, itself left out. */
  readonly names: readonly string[];
  /** Of the agent: its index exports the type. */
  readonly isPublic?: boolean;
}

export interface Declarations {
  readonly types: ReadonlyMap<string, Declaration>;
  /** Hook point → the names of its payload and, unless it is Void or answers nothing of its own, its answer. */
  readonly points: ReadonlyMap<string, readonly string[]>;
}

const folder = 'packages/types/src';
const builders = new Set(['voidHook', 'modifyingHook', 'claimingHook']);

export function readDeclarations(): Declarations {
  const found = new Map<string, Declaration & { readonly used: readonly string[] }>();
  const points = new Map<string, readonly string[]>();
  for (const name of readdirSync(join(root, folder)).toSorted()) {
    const text = readFileSync(join(root, folder, name), 'utf8');
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (!isExportedType(statement)) continue;
      const own = statement.name.text;
      const before = found.get(own);
      if (before !== undefined) throw new Error(`'${own}' is exported by ${before.file} and by ${name}: rename one`);
      const spelt = text.slice(statement.getStart(source, true), statement.end);
      found.set(own, { name: own, file: `${folder}/${name}`, text: spelt, names: [], used: namesIn(statement) });
    }
    for (const [point, carried] of pointsIn(source)) points.set(point, carried);
  }
  const types = new Map(
    [...found].map(([name, { used, ...declaration }]) => {
      const names = used.filter((other) => other !== name && found.has(other));
      return [name, { ...declaration, names }] as const;
    }),
  );
  return { types, points };
}

/**
 * The types that the index of the agent exports, by name, and those that their files keep for themselves, by
 * `<file>:<name>`. `names` are such keys.
 */
export function readPublic(base = 'packages/agent/src'): ReadonlyMap<string, Declaration> {
  const files = new Map<string, Set<string>>();
  const index = ts.createSourceFile(
    'index.ts',
    readFileSync(join(root, base, 'index.ts'), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  for (const statement of index.statements) {
    if (!ts.isExportDeclaration(statement) || !statement.isTypeOnly) continue;
    const { exportClause: clause, moduleSpecifier: from } = statement;
    if (clause === undefined || !ts.isNamedExports(clause) || from === undefined || !ts.isStringLiteral(from))
      throw new Error(`the index of ${base} exports types otherwise than by name: list them`);
    const file = from.text.replace(/^\.\//, '').replace(/\.js$/, '.ts');
    const names = files.get(file) ?? new Set();
    files.set(file, names);
    for (const { name } of clause.elements) names.add(name.text);
  }
  const found = new Map<string, Declaration>();
  for (const [file, names] of files) {
    const text = readFileSync(join(root, base, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) continue;
      const name = statement.name.text;
      const isPublic = names.has(name);
      const spelt = text.slice(statement.getStart(source, true), statement.end);
      const used = namesIn(statement).flatMap((other) => (other === name ? [] : [other, `${file}:${other}`]));
      const key = isPublic ? name : `${file}:${name}`;
      found.set(key, { name, file: `${base}/${file}`, text: spelt, names: used, isPublic });
    }
  }
  return new Map([...found].map(([key, one]) => [key, { ...one, names: one.names.filter((n) => found.has(n)) }]));
}

const isExportedType = (node: ts.Statement): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** The types that a node names, each once, in the order of the text. */
function namesIn(node: ts.Node): readonly string[] {
  const names = new Set<string>();
  const visit = (inner: ts.Node): void => {
    if (ts.isTypeReferenceNode(inner)) names.add(inner.typeName.getText());
    if (ts.isExpressionWithTypeArguments(inner)) names.add(inner.expression.getText());
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return [...names];
}

/** Each entry `name: builder<Payload, Answer>({ … })` of a catalogue. */
function pointsIn(source: ts.SourceFile): readonly (readonly [string, readonly string[]])[] {
  const points: (readonly [string, readonly string[]])[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isCallExpression(node.initializer)) {
      const { expression, typeArguments = [] } = node.initializer;
      if (builders.has(expression.getText())) {
        points.push([node.name.getText(), typeArguments.map((type) => type.getText())]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return points;
}
