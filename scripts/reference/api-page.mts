// Owns `api.md` of each package: what it exports, as the compiler declares it, without a word of prose; a change of it is a change for users.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript6';
import { entries, members, root, type Member } from '../workspace.mjs';
import { generated, page } from './markdown.mjs';

/** Every published package's page, by its path in the repository. */
export function apiPages(): ReadonlyMap<string, string> {
  const published = members().filter(({ manifest }) => manifest.private !== true);
  return new Map(published.map((member) => [relative(root, join(member.dir, 'api.md')), apiPage(member)]));
}

/** The page of one package: a section for each entry point, its exports by name. */
export function apiPage(member: Member): string {
  const declared = new Declared();
  return page([
    `# The public surface of \`${member.manifest.name}\``,
    generated('the sources'),
    ...entries(member).flatMap(({ specifier, source }) => [
      `## \`${specifier}\``,
      `\`\`\`ts\n${declared.exportsOf(source).join('\n\n')}\n\`\`\``,
    ]),
  ]);
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  removeComments: true,
};
const printer = ts.createPrinter({ removeComments: true });

/** The declarations of source files, each read once. */
class Declared {
  readonly #files = new Map<string, ts.SourceFile>();

  /** What a module exports, by name, in alphabetical order; what it passes on from another package is a line. */
  exportsOf(source: string): readonly string[] {
    const found = new Map<string, string>();
    for (const statement of this.#read(source).statements) {
      if (ts.isExportDeclaration(statement)) {
        for (const [name, text] of this.#passedOn(source, statement)) found.set(name, text);
      } else if (ts.isExportAssignment(statement)) found.set('default', this.#defaultOf(source, statement));
      else for (const name of namesOf(statement)) found.set(name, this.#textOf(source, name));
    }
    return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  *#passedOn(source: string, statement: ts.ExportDeclaration): Generator<readonly [string, string]> {
    const { moduleSpecifier: from, exportClause } = statement;
    if (
      from === undefined ||
      !ts.isStringLiteral(from) ||
      exportClause === undefined ||
      !ts.isNamedExports(exportClause)
    ) {
      throw new Error(`${source} exports by '${statement.getText()}': name each export and its module`);
    }
    for (const { name, propertyName } of exportClause.elements) {
      const of = (propertyName ?? name).text;
      if (from.text.startsWith('.')) {
        const file = resolve(dirname(source), from.text.replace(/\.js$/, '.ts'));
        yield [name.text, this.#textOf(file, of)];
      } else yield [name.text, `export { ${of === name.text ? of : `${of} as ${name.text}`} } from '${from.text}';`];
    }
  }

  /** A default export, with the declaration of what it names. */
  #defaultOf(source: string, statement: ts.ExportAssignment): string {
    const name = statement.expression.getText();
    const declared = this.#read(source).statements.filter(
      (one) => ts.isVariableStatement(one) && one.declarationList.declarations.some((of) => of.name.getText() === name),
    );
    return [...declared, statement].map((one) => one.getText()).join('\n');
  }

  #textOf(file: string, name: string): string {
    const source = this.#read(file);
    const statements = source.statements.filter((one) => namesOf(one).includes(name));
    if (statements.length > 0) {
      const texts = statements.map((one) => printer.printNode(ts.EmitHint.Unspecified, one, source).trim());
      // what only the whole program could infer stands as it is written
      return texts.some((text) => text.endsWith(': any;')) ? written(file, name) : texts.join('\n');
    }
    const passed = this.exportsOf(file).find((text) => new RegExp(`\\b${name}\\b`).test(text));
    if (passed === undefined) throw new Error(`${file} has no '${name}'`);
    return passed;
  }

  /** As it is declared: signatures and types, no bodies and no comments. */
  #read(file: string): ts.SourceFile {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
      fileName: file,
      compilerOptions: options,
    });
    const read = ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest, true);
    this.#files.set(file, read);
    return read;
  }
}

/** A declaration with what it is initialized with, without comments. */
function written(file: string, name: string): string {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const statement = source.statements.find((one) => namesOf(one).includes(name))!;
  return printer.printNode(ts.EmitHint.Unspecified, statement, source).trim();
}

/** The names that a statement exports by declaring them. */
function namesOf(statement: ts.Statement): readonly string[] {
  if (!ts.canHaveModifiers(statement)) return [];
  if (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as { readonly name?: ts.Node };
  return name === undefined ? ['default'] : [name.getText()];
}
