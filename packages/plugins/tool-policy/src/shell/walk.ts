/** The way through a parsed script: each command in it goes to the reader, from whatever depth. */
import { forEachChild, type ParsedScript, type Pipeline, type SyntaxNode } from 'unbash';
import type { At } from './at.js';
import { testAsCommand, visitBoth, visitCompared, visitExpansion } from './bash-only.js';
import { clip } from './clip.js';
import { outputOf } from './output.js';
import type { Place, Reader } from './reader.js';
import { readRedirects, readSimple } from './simple.js';
import { known } from './shell-word.js';
import { oneWord, shellWords } from './words-of.js';

/** Nodes above each other; far more than a script within the limit on nesting has, far less than the stack. */
const highest = 700;

/** In UTF-16 code units: the longest script with faults that is looked into. */
const longestBroken = 2048;

export function walkScript(script: ParsedScript, source: string, reader: Reader, place: Place): void {
  visit(script, { reader, place, source, level: 0, pattern: false, computed: false, visit });
}

function visit(node: SyntaxNode, above: At): void {
  if (above.level > highest) return above.reader.doubt('its parts are nested too deep');
  // Only a lone command can be sure of all that stands on its input.
  switch (node.type) {
    case 'Script':
      return visitScript(node, above);
    case 'Statement':
      return visit(node.command, lower(above));
    case 'Pipeline':
      return visitPipeline(node, above);
    case 'Command':
      return readSimple(node, above);
    default:
      return visitPart(node, withoutInput(lower(above)));
  }
}

function visitPart(node: SyntaxNode, at: At): void {
  const { reader, place } = at;
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion': {
      const inside = reader.inside(place, undefined, { again: apart(place) }, node.end - node.pos);
      if (inside === undefined) return;
      if (node.script === undefined) return reader.doubt(`a substitution is not read: ${clip(node.text)}`);
      return visit(node.script, { ...at, place: inside, pattern: false, computed: false });
    }
    case 'Function':
      reader.names.shadowed(node.name.value);
      return eachChild(node, again(at, 'call'));
    case 'While':
      return eachChild(node, again(at, 'loop'));
    case 'Subshell':
      return eachChild(node, { ...at, place: { ...place, again: apart(place) } });
    case 'Redirected':
      visit(node.command, at);
      return readRedirects(node.redirects, at);
    case 'Assignment':
      noteAssignment(node, at);
      break;
    case 'For':
    case 'Select':
      noteLoop(node, at);
      return eachChild(node, again(at, 'loop'));
    case 'TestCommand': {
      const text = testAsCommand(at.source.slice(node.pos, node.end));
      if (text !== undefined) visitBoth(text, at);
      return eachChild(node, { ...at, pattern: true });
    }
    case 'ArithmeticCommand':
      reader.names.computes(node.body);
      if (!/^\s*\w+(?:\+\+|--|[-+*/%]?=-?\w+)\s*$/.test(node.body)) visitBoth(node.body, at);
      break;
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) reader.names.computes(at.source.slice(part.pos, part.end));
      }
      return eachChild(node, again(at, 'loop'));
    case 'TestBinary':
    case 'TestUnary':
      visitCompared(node, at);
      break;
    case 'CaseItem':
      for (const pattern of node.pattern) visit(pattern, { ...at, pattern: true });
      return visit(node.body, { ...at, pattern: false });
    case 'ArithmeticExpansion':
      visitExpansion(node, at);
      return eachChild(node, { ...at, computed: true });
    default:
      visitExpansion(node, at);
  }
  eachChild(node, at);
}

function eachChild(node: SyntaxNode, at: At): void {
  forEachChild(node, (child) => visit(child, at));
}

function visitScript(script: ParsedScript, above: At): void {
  for (const { message } of script.errors?.slice(0, 2) ?? []) above.reader.doubt(`unparsable: ${clip(message)}`);
  // Of what is no script a short one is read all the same, for what it would have run.
  if (script.errors !== undefined && script.end - script.pos > longestBroken) return;
  const at = { ...lower(above), source: script.source ?? above.source };
  const inner = script.commands.length === 1 ? at : withoutInput(at);
  for (const statement of script.commands) visit(statement, inner);
}

function visitPipeline(pipeline: Pipeline, above: At): void {
  const { prefixes, commands } = pipeline;
  const timed = prefixes.some(({ type }) => type === 'Time');
  const first = lower(above);
  // Alone or in front of a group; to a plain sh it is a program.
  if (timed && commands[0]?.type !== 'Command') runTime(first);
  for (const [index, command] of commands.entries()) {
    const stdin = index === 0 ? first.place.stdin : outputOf(commands[index - 1]!);
    const at = index === 0 ? first : { ...first, place: { ...first.place, stdin } };
    if (timed && index === 0 && command.type === 'Command') readSimple(command, at, 'time');
    else visit(command, at);
  }
}

function runTime({ reader, place }: At): void {
  reader.run([known('time')], { assigns: [], redirects: [] }, place);
}

const again = (at: At, why: 'loop' | 'call'): At =>
  at.place.again === 'call' ? at : { ...at, place: { ...at.place, again: why } };
/** What a subshell does in a loop, the next round does not see. */
const apart = (place: Place): Place['again'] => (place.again === 'call' ? 'call' : 'never');
const lower = (at: At): At => ({ ...at, level: at.level + 1 });
const withoutInput = (at: At): At =>
  at.place.stdin === undefined ? at : { ...at, place: { ...at.place, stdin: undefined } };

function noteAssignment(node: Extract<SyntaxNode, { type: 'Assignment' }>, { reader, place }: At): void {
  const { name, index, value } = node;
  if (index !== undefined) reader.names.computes(index.value);
  if (value.type === 'ArrayValue') {
    for (const element of value.elements) reader.names.assigned(name, oneWord(element), place);
    return;
  }
  const [part, ...more] = value.parts ?? [];
  const counted = part?.type === 'ArithmeticExpansion' && more.length === 0;
  // The outcome of `$(( ))` is a number, whatever it is.
  reader.names.assigned(
    name,
    counted ? { text: '0', guess: value.value, start: '', solid: true } : oneWord(value),
    place,
  );
}

function noteLoop(node: Extract<SyntaxNode, { type: 'For' | 'Select' }>, { reader, place }: At): void {
  const words = node.type === 'For' ? node.wordlist?.flatMap(shellWords) : undefined;
  // What a person picks of these is not known, but each of them is named.
  if (node.type === 'Select') for (const word of node.wordlist?.flatMap(shellWords) ?? []) reader.reaches.file(word);
  if (words === undefined) reader.names.assigned(node.name.value, undefined, place);
  else for (const word of words) reader.names.assigned(node.name.value, word, place);
}
