/** What bash and a plain sh read in two ways, and the expansions with which bash runs the text of a variable. */
import type { SyntaxNode } from 'unbash';
import { clip } from './clip.js';
import { known } from './shell-word.js';
import { oneWord } from './words-of.js';
import type { At } from './at.js';

/**
 * To a plain sh `(( ))` is a subshell in a subshell, and `[[` a program: what it would run counts too. There is no such
 * program, so what stands behind its `&&` is not reached.
 */
export function visitBoth(text: string, { reader, place }: At): void {
  if (place.dialect !== 'any') return;
  const inside = reader.inside(place);
  if (inside !== undefined) reader.script(text, inside);
}

/** The text of `[[ ]]` as the words of a command, if there is more in it than one. */
export function testAsCommand(text: string): string | undefined {
  const reached = text.replaceAll(/&&\s*/g, ' ');
  return /[&|;<>()\n]/.test(reached) ? reached.replace('[[', '\\[\\[') : undefined;
}

/** Bash computes both sides of `-eq` and its like, and the index in the name that `-v` is given. */
export function visitCompared(
  node: Extract<SyntaxNode, { type: 'TestBinary' | 'TestUnary' }>,
  { reader, place }: At,
): void {
  if (node.type === 'TestUnary') {
    if (node.operator === '-v' || node.operator === '-R') reader.names.named(known(node.operand.value), place);
    else if (!/^-[noztR]$/.test(node.operator)) reader.reaches.file(oneWord(node.operand));
  } else if (/^-(?:nt|ot|ef)$/.test(node.operator)) {
    reader.reaches.file(oneWord(node.left));
    reader.reaches.file(oneWord(node.right));
  } else if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
    reader.names.computes(node.left.value);
    reader.names.computes(node.right.value);
  }
}

export function visitExpansion(node: SyntaxNode, { reader, place, pattern, computed }: At): void {
  switch (node.type) {
    case 'ExtendedGlob':
      // Where they are not switched on, the round bracket is one of another kind.
      if (!pattern) reader.doubt(`an extended glob, which not every shell reads as one: ${clip(node.text)}`);
      return;
    case 'AnsiCQuoted':
      // A plain sh ends the text at the first single quote, escaped or not.
      if (place.dialect === 'any' && node.text.includes("\\'")) {
        reader.doubt(`where the quote ends is not the same in each shell: ${clip(node.text)}`);
      }
      return;
    case 'ArithmeticExpansion':
      // The text of one has those inside of it.
      if (!computed) reader.names.computes(node.text.replace(/^\$\(?[([]/, ''));
      return;
    case 'ParameterExpansion':
      return visitParameter(node, { reader, place });
    case 'HereDocDelimiter':
      if (!/^(?:\\?[\w.!-]+|'[\w.!-]+'|"[\w.!-]+")$/.test(node.text)) {
        reader.doubt(`where the here-document ends is not the same in each shell: ${clip(node.text)}`);
      }
      return;
    default:
  }
}

function visitParameter(
  node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>,
  { reader, place }: Pick<At, 'reader' | 'place'>,
): void {
  const { index, operation, prefix, parameter, text } = node;
  const all = index?.value === '@' || index?.value === '*';
  if (index !== undefined && !all) reader.names.computes(index.value);
  if (prefix === '!' && !all && operation?.type !== 'Names') reader.doubt(`a variable names another: ${clip(text)}`);
  switch (operation?.type) {
    case 'Slice':
      reader.names.computes(operation.offset.value);
      if (operation.length !== undefined) reader.names.computes(operation.length.value);
      return;
    case 'Default':
      if (operation.operator.endsWith('=')) reader.names.assigned(parameter, undefined, place);
      return;
    case 'Transform':
      if (!/^[UuLQEAKak]$/.test(operation.operand.value)) reader.doubt(`the text of a variable is run: ${clip(text)}`);
      return;
    case 'Unknown':
      return reader.doubt(`an expansion that is not read: ${clip(text)}`);
    default:
  }
}
