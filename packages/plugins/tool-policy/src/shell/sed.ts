/** Scripts of sed: which of them can neither run nor write anything. Each piece is looked for at one place alone, so in linear time. */

const blank = /\s*/y;
const escaped = String.raw`\\[^c]`;
/**
 * A bracket expression: what parts a command may stand in it, for who does not know brackets finds one that is open there. It
 * is none where readers disagree on its end: with `]` in front, with `[.` or `[=`, with a backslash, with `[` behind a class.
 */
const brackets = String.raw`\[(?!\^?\])(?:[^\][\n\\]|\[(?![.=:]))*(?:\[:[a-z]+:\][^\][\n\\]*)*\]`;
const address = new RegExp(String.raw`(?:\d+(?:~\d+)?|\$|\/(?:${escaped}|${brackets}|[^\\/\n[])*\/I?)?`, 'y');
const atom = String.raw`(?:${escaped}|${brackets}|(?!\1)[^\\[\n])`;
const text = String.raw`(?:\\[^]|(?!\1)[^\\\n])`;
/** The same for letters that are put in place of letters: whether these have brackets is not agreed on, so none may be there. */
const letters = String.raw`(?:\\[^]|(?!\2)[^\\[\n])`;
const delimiter = '([/,|#@:!_~%+;])';
const swaps = String.raw`s${delimiter}${atom}*\1${text}*\1[gpiI\d]*|y${delimiter}${letters}*\2${letters}*\2`;
/** Text to put beside a line: all up to the end of its own. */
const added = String.raw`[aic][ \t]*[^\s\\][^\\\n]*`;
/** A command that prints, deletes or puts text in place of another. Any other may run or write. */
const command = new RegExp(String.raw`(?:[=dDgGhHlnNpPqQx}]|${swaps}|${added})?`, 'y');

export function isCalmSed(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    const end = endOfCommand(script, behind(blank, script, at));
    if (end === undefined) return false;
    at = end;
  }
  return true;
}

/** Where the command at a place ends, with what parts it from the next one; `undefined` when it is not calm. */
function endOfCommand(script: string, from: number): number | undefined {
  let at = behind(address, script, from);
  if (at !== from) {
    at = behind(blank, script, at);
    if (script[at] === ',') {
      const second = behind(/\s*[+~]?/y, script, at + 1);
      at = behind(address, script, second);
      if (at === second) return undefined;
      at = behind(blank, script, at);
    }
    if (script[at] === '!') at++;
    at = behind(blank, script, at);
  }
  if (script[at] === '{') return at + 1;
  at = behind(command, script, at);
  const end = behind(blank, script, at);
  if (script[end] === ';') return end + 1;
  if (script[end] === '}') return end;
  return end === script.length || script.slice(at, end).includes('\n') ? end : undefined;
}

/** Where a piece that stands at a place ends. */
function behind(piece: RegExp, script: string, at: number): number {
  piece.lastIndex = at;
  return piece.exec(script) === null ? at : piece.lastIndex;
}
