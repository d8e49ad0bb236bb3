/** Scripts of sed: which of them can neither run nor write anything. Each piece is looked for at one place alone, so in linear time. */

const blank = /\s*/y;
const address = /(?:\d+|\$|\/(?:\\[^]|[^\\/\n[])*\/I?)?/y;
const atom = String.raw`(?:\\[^]|\[(?!\])(?:(?!\1)[^\]\n\\])*\]|(?!\1)[^\\[\n])`;
const text = String.raw`(?:\\[^]|(?!\1)[^\\\n])`;
/** A command that prints, deletes or puts text in place of another. Any other may run or write. */
const command = new RegExp(String.raw`(?:[=dDgGhHlnNpPqQx]|s([/,|#@:!_~%+;])${atom}*\1${text}*\1[gpiI\d]*)?`, 'y');

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
  at = behind(command, script, at);
  const end = behind(blank, script, at);
  if (script[end] === ';') return end + 1;
  return end === script.length || script.slice(at, end).includes('\n') ? end : undefined;
}

/** Where a piece that stands at a place ends. */
function behind(piece: RegExp, script: string, at: number): number {
  piece.lastIndex = at;
  return piece.exec(script) === null ? at : piece.lastIndex;
}
