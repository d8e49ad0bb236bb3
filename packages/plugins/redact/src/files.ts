/** File parts whose bytes are text, and the URLs of others. */
import type { FilePart, TextPart } from '@treblehook/types';
import type { Masker } from './masker.js';

const isText = (mediaType: string): boolean =>
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-javascript|x-sh|sql|x-www-form-urlencoded|x-ndjson|jsonl|x-pem-file|pkix-cert)\b|[^;]*\+(?:json|xml|yaml)\b)/i.test(
    mediaType.trim(),
  );

/** The part itself when nothing in it is a secret. What cannot be sent without its secret becomes a text that says so. */
export function maskedFile(part: FilePart, masker: Masker): FilePart | TextPart {
  const { data, filename, mediaType } = part;
  const url = data instanceof URL ? data.href : typeof data === 'string' && isUrl(data) ? data : undefined;
  const name = filename == null ? {} : { filename: masker.text(filename) };
  const isSameName = filename == null || name.filename === filename;
  if (url !== undefined && !url.startsWith('data:')) {
    const masked = masker.text(url);
    if (masked !== url) return { type: 'text', text: `[a file is left out, its URL holds a secret: ${masked}]` };
  } else if (isText(mediaType)) {
    const masked = url === undefined ? maskedData(data as Uint8Array | string, masker) : maskedDataUrl(url, masker);
    if (masked !== undefined) return { ...part, ...name, data: data instanceof URL ? new URL(masked) : masked };
  }
  return isSameName ? part : { ...part, ...name };
}

const isUrl = (data: string): boolean => /^(?:data|https?|ftp|gs|s3|file):/i.test(data);

/** `undefined`: it holds none. A text stays base64, bytes stay bytes. */
function maskedData(data: Uint8Array | string, masker: Masker): Uint8Array | string | undefined {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data);
  const { text, encode } = decoded(bytes);
  const masked = masker.text(text);
  if (masked === text) return undefined;
  const out = encode(masked);
  return typeof data === 'string' ? out.toString('base64') : new Uint8Array(out);
}

function maskedDataUrl(url: string, masker: Masker): string | undefined {
  const comma = url.indexOf(',');
  if (comma === -1) return undefined;
  const [front, body] = [url.slice(0, comma), url.slice(comma + 1)];
  if (/;base64$/i.test(front)) {
    const masked = maskedData(body, masker);
    return masked === undefined ? undefined : `${front},${masked as string}`;
  }
  const text = unquoted(body);
  const masked = masker.text(text);
  return masked === text ? undefined : `${front},${encodeURIComponent(masked)}`;
}

function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // swallows what is no percent encoding: it is looked through as it stands
  }
}

/** UTF-16 by its mark, else UTF-8, else byte by byte: whatever it is, what is no secret stays as it was. */
function decoded(bytes: Buffer): { readonly text: string; readonly encode: (text: string) => Buffer } {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe)
    return { text: bytes.toString('utf16le'), encode: (text) => Buffer.from(text, 'utf16le') };
  if (first === 0xfe && second === 0xff && bytes.length % 2 === 0) {
    return {
      text: Buffer.from(bytes).swap16().toString('utf16le'),
      encode: (text) => Buffer.from(text, 'utf16le').swap16(),
    };
  }
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return { text, encode: (masked) => Buffer.from(masked, 'utf8') };
  return { text: bytes.toString('latin1'), encode: (masked) => Buffer.from(masked, 'latin1') };
}
