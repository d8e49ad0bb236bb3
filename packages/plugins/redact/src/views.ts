/** The same text with its JSON escapes read: a secret in a JSON string is spelled otherwise than it is. */

export interface View {
  readonly text: string;
  /** Where each of its characters begins in the text that was given, and behind them its end; `undefined`: it is that text. */
  readonly places: Int32Array | undefined;
}

/** JSON in JSON in JSON; what is escaped more often is no text that anybody has written. */
const maxLevels = 3;

const short: Readonly<Record<string, string>> = Object.freeze({
  __proto__: null,
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
} as unknown as Record<string, string>);

/** The text as it is, and with one, two and three levels of escapes read; the last first. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [{ text, places: undefined }];
  while (views.length <= maxLevels) {
    const next = unescaped(views[0]!);
    if (next === undefined) break;
    views.unshift(next);
  }
  return views;
}

/** `undefined`: there is none in it. Linear. */
function unescaped({ text, places }: View): View | undefined {
  let at = text.indexOf('\\');
  if (at === -1) return undefined;
  const own = new Int32Array(text.length + 1);
  let size = 0;
  let done = 0;
  let out = '';
  const placeOf = (index: number): number => (places === undefined ? index : places[index]!);
  const copyTo = (end: number): void => {
    for (let i = done; i < end; i++) own[size++] = placeOf(i);
    out += text.slice(done, end);
    done = end;
  };
  let isAny = false;
  while (at !== -1) {
    const read = escapeAt(text, at);
    if (read === undefined) {
      at = text.indexOf('\\', at + 1);
      continue;
    }
    isAny = true;
    copyTo(at);
    own[size++] = placeOf(at);
    out += read.char;
    done = read.end;
    at = text.indexOf('\\', done);
  }
  if (!isAny) return undefined;
  copyTo(text.length);
  own[size] = placeOf(text.length);
  return { text: out, places: own };
}

function escapeAt(text: string, at: number): { readonly char: string; readonly end: number } | undefined {
  const next = text[at + 1];
  if (next === undefined) return undefined;
  if (next === 'u') {
    const hex = text.slice(at + 2, at + 6);
    return /^[0-9a-fA-F]{4}$/.test(hex)
      ? { char: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 6 }
      : undefined;
  }
  const char = short[next];
  return char === undefined ? undefined : { char, end: at + 2 };
}
