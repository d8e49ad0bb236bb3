/** Taking keys out of texts: those that were sent, in every spelling in which a server gives them back, and lookalikes. */

/** Names of headers whose values are secrets. */
const secretHeader = /auth|key|token|secret|cookie|password|credential|signature/i;
/** Shorter ones are no secrets, and taking them out would garble every text. */
const shortest = 4;
const gone = '[redacted]';

const lookalikes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi, `$1 ${gone}`],
  [/\bsk-[\w-]{8,}/g, gone],
  [/([?&](?:api[-_]?key|key|token|access_token)=)[^&\s"']+/gi, `$1${gone}`],
  [
    /((?:x-api-key|api-key|authorization)["']?\s*[:=]\s*["']?)(?!Bearer |Basic |\[redacted\])[^\s"',}]{4,}/gi,
    `$1${gone}`,
  ],
];

/** Takes secrets out of a text. `torn`: the text may end in the middle of one. */
export type Redact = (text: string, torn?: boolean) => string;

/** The secrets among headers: the whole value and, behind a scheme such as `Bearer`, the token alone. */
export function secretsOf(headers: Iterable<readonly [string, string | undefined]>): string[] {
  const found: string[] = [];
  for (const [name, value] of headers) {
    if (value === undefined || !secretHeader.test(name)) continue;
    found.push(value, ...value.trim().split(/\s+/).slice(1));
  }
  return found;
}

export function redactor(secrets: Iterable<string>): Redact {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    for (const text of [secret, secret.trim()]) {
      // a server may quote in JSON what was quoted in JSON before
      const once = quoted(text);
      for (const spelling of [text, once, quoted(once), encodeURIComponent(text)]) {
        for (const spelled of [spelling, spelling.replaceAll('/', '\\/'), spelling.replaceAll('/', '\\\\/')]) {
          if (spelled.length >= shortest) spellings.add(spelled);
        }
      }
    }
  }
  // the longest first: a secret may be the start of another
  const known = [...spellings].sort((a, b) => b.length - a.length);
  return (text, torn = false) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, gone);
    if (torn) clean = withoutStart(clean, known);
    for (const [pattern, instead] of lookalikes) clean = clean.replace(pattern, instead);
    return clean;
  };
}

/** Takes the start of a secret off the end of a text. */
function withoutStart(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length >= shortest; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + gone;
    }
  }
  return text;
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
