/** The body of an answer as text, by what its content type says and by what it is. */

/** `text` is `undefined` for what is no text; `why` says so. */
export interface BodyText {
  readonly text: string | undefined;
  readonly why?: string;
}

const textTypes =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|x-ndjson|yaml|toml|graphql|x-www-form-urlencoded)|.+\+(?:json|xml|yaml))$/;

/** `cut`: the body is the beginning of a longer one, so that its last character may be half. */
export function bodyText(body: Buffer, contentType: string | undefined, cut: boolean): BodyText {
  if (body.length === 0) return { text: '' };
  const [media = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((one) => one.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (media === '') {
    const text = decode(body, 'utf-8', true, cut);
    return text === undefined || body.includes(0) ? { text: undefined, why: 'no content type, and no text' } : { text };
  }
  if (!textTypes.test(media)) return { text: undefined, why: `${media} is not shown` };
  const label = charset ?? 'utf-8';
  if (body.includes(0) && !label.startsWith('utf-16')) {
    return { text: undefined, why: `it says ${media}, but is no text` };
  }
  const text = decode(body, label, false, cut);
  return text === undefined ? { text, why: `its charset '${label}' is not known` } : { text };
}

function decode(body: Buffer, label: string, fatal: boolean, cut: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(body, { stream: cut });
  } catch {
    return undefined; // swallows "no such charset", and bytes that are none of it
  }
}
