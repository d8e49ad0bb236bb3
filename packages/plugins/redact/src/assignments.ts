/** Values that are given to a name such as `password` or `api_key`: in a text, and in JSON. */
import { isBlank, type Detector } from './detector.js';

const head =
  /(passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|signing[_-]?key|encryption[_-]?key|credential)s?([\w-]{0,24}?["'\\]{0,6}[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8})/gi;
/** Behind a quote of its own level a value may have escapes; behind one that is escaped itself an escape ends it. */
const quoted =
  /"((?:[^"\\\n]|\\.){1,1024})|'((?:[^'\\\n]|\\.){1,1024})|`([^`\n]{1,1024})|\\{1,3}["']([^"'\\\n]{1,1024})/y;
const bare = /[^\s"'`,;&<>(){}[\]\\|]{1,512}/y;

/** A password may be any word; what else is called a secret is one when it looks like one. */
const isPasswordName = (name: string): boolean => /^(?:passw|passph|pwd)/i.test(name);

/** Words that stand where a value would. */
const words =
  /^(?:true|false|null|nil|none|undefined|string|str|text|number|required|optional|empty|unset|hidden|redacted|masked|changeme|example|password|secret|token|env|self|this)$/i;
/** A name of a program: `process.env.KEY`, `config.token`. */
const path = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){1,12}$/;

const isNone = (value: string): boolean =>
  isBlank(value) || words.test(value) || (path.test(value) && !/\d/.test(value));

/** As many different characters as no word of a language has, and of more than one kind. */
function isRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return new Set(value.slice(0, 64)).size >= 7;
}

function isSecret(name: string, value: string, how: 'quoted' | '=' | ':'): boolean {
  if (isNone(value)) return false;
  if (!isPasswordName(name)) return isRandom(value);
  if (how === 'quoted') return value.length >= 4;
  return value.length >= 6 && (how === '=' || /[^A-Za-z]/.test(value.replace(/[.:!?]+$/, '')));
}

export const assignments: Detector = {
  name: 'assignment',
  find(text, found) {
    const next = new RegExp(head);
    const take = (from: number, length: number): void => {
      found(from, from + length);
      next.lastIndex = from + length; // what stands in a value is a part of it
    };
    for (let match = next.exec(text); match !== null; match = next.exec(text)) {
      const [whole, name = '', rest = ''] = match;
      const at = match.index + whole.length;
      quoted.lastIndex = at;
      const inQuotes = quoted.exec(text);
      if (inQuotes !== null) {
        const value = inQuotes.slice(1).find((one) => one !== undefined) ?? '';
        const from = at + inQuotes[0].length - value.length;
        if (isSecret(name, value, 'quoted')) take(from, value.length);
        continue;
      }
      bare.lastIndex = at;
      const value = bare.exec(text)?.[0];
      if (value === undefined || text[at + value.length] === '(') continue;
      if (isSecret(name, value, /:[ \t]*$/.test(rest) ? ':' : '=')) take(at, value.length);
    }
  },
};

const named =
  /(passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|signing[_-]?key|encryption[_-]?key|credential)s?[\w-]{0,24}$/i;

/** Whether the value of a key in JSON is a secret by the key's name. */
export function isSecretField(key: string, value: string): boolean {
  if (key.length > 128) return false;
  const name = named.exec(key)?.[1];
  return name !== undefined && isSecret(name, value, 'quoted');
}
