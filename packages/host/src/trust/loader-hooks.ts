/**
 * The hooks that serve a snapshot to Node's loader, as the text of a module: they run on a thread of their own. A URL that
 * ends in `?treblehook=<token>` is of the snapshot of that token, and never of the disk. What such a module imports by a
 * path, or by a name that leads into its own folder, is of the same snapshot, or is refused; other packages and what Node
 * brings are found as always. https://nodejs.org/api/module.html#customization-hooks
 */
export const loaderHooks = `
const mark = '?treblehook=';
const snapshots = new Map();

export function initialize({ port }) {
  port.on('message', ({ token, root, files, aliases }) => {
    snapshots.set(token, { root, files, aliases });
    port.postMessage(token);
  });
  port.unref();
}

function placed(url) {
  const at = typeof url === 'string' ? url.indexOf(mark) : -1;
  if (at < 0) return undefined;
  const token = url.slice(at + mark.length);
  const snapshot = snapshots.get(token);
  return snapshot === undefined ? undefined : { href: url.slice(0, at), token, snapshot };
}

function served(given, { token, snapshot, href: parent }, context) {
  const url = new URL(given);
  url.search = '';
  url.hash = '';
  const href = snapshot.aliases.get(url.href) ?? url.href;
  const file = snapshot.files.get(href);
  if (file === undefined) {
    throw new Error(url.href + ' was not there when consent was looked at, or is named by no text that begins with ./ in quotes: it is not imported by ' + parent);
  }
  return { url: href + mark + token, format: file.format, importAttributes: context.importAttributes, shortCircuit: true };
}

const isOwn = ({ root }, href) => href.startsWith(root) && !href.slice(root.length - 1).includes('/node_modules/');

export async function resolve(specifier, context, next) {
  const asked = placed(specifier);
  if (asked !== undefined) return served(asked.href, asked, context);
  const parent = placed(context.parentURL);
  if (parent === undefined) return next(specifier, context);
  const isRelative = /^\\.{1,2}(?:\\/|$)/.test(specifier);
  if (isRelative) return served(new URL(specifier, parent.href).href, parent, context);
  if (/^(?:\\/|file:)/.test(specifier)) {
    const { href } = new URL(specifier, parent.href);
    if (isOwn(parent.snapshot, href)) return served(href, parent, context);
    // to require a path is to give it whole: one outside of every package was written as a path
    const isRequired = parent.snapshot.files.get(parent.href)?.format === 'commonjs';
    if (isRequired && !href.includes('/node_modules/')) return served(href, parent, context);
    return next(specifier, { ...context, parentURL: parent.href });
  }
  const found = await next(specifier, { ...context, parentURL: parent.href });
  return isOwn(parent.snapshot, found.url) ? served(found.url, parent, context) : found;
}

export async function load(url, context, next) {
  const asked = placed(url);
  if (asked === undefined) return next(url, context);
  const { format, source } = asked.snapshot.files.get(asked.href);
  return { format, source, shortCircuit: true };
}
`;
