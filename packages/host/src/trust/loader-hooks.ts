/**
 * The hooks that serve a snapshot to Node's loader, as the text of a module: they run on a thread of their own. A URL that
 * ends in `?treblehook=<token>` is of the snapshot of that token, and never of the disk. What such a module imports by a
 * path, a URL or a name of its package.json, or by one that leads into its own folder, is of the same snapshot, or is
 * refused; what it imports through a data: URL, too. Other packages by their names, and what Node brings, are found as
 * always. https://nodejs.org/api/module.html#customization-hooks
 */
export const loaderHooks = `
const mark = '?treblehook=';
const snapshots = new Map();
/** data: URLs that a module of a snapshot imports: what they import is imported by it. */
const hops = new Map();

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

/** A path in a node_modules above a module: the name of a package leads there, and require gives it whole. */
function isInstalledAbove(href, parent) {
  const at = href.indexOf('/node_modules/');
  return at >= 0 && parent.startsWith(href.slice(0, at + 1));
}

export async function resolve(specifier, context, next) {
  const asked = placed(specifier);
  if (asked !== undefined) return served(asked.href, asked, context);
  const parent = placed(context.parentURL) ?? hops.get(context.parentURL);
  if (parent === undefined) return next(specifier, context);
  const isRelative = /^\\.{1,2}(?:\\/|$)/.test(specifier);
  if (isRelative) return served(new URL(specifier, parent.href).href, parent, context);
  const isUrl = URL.canParse(specifier);
  const scheme = isUrl ? new URL(specifier).protocol : undefined;
  if (scheme === 'data:') {
    const found = await next(specifier, context);
    hops.set(found.url, parent);
    return found;
  }
  if (specifier.startsWith('/') || (isUrl && scheme !== 'node:')) {
    const { href } = new URL(specifier, parent.href);
    const isRequired = parent.snapshot.files.get(parent.href)?.format === 'commonjs';
    if (!isRequired || isOwn(parent.snapshot, href) || !isInstalledAbove(href, parent.href)) {
      return served(href, parent, context);
    }
    return next(specifier, { ...context, parentURL: parent.href });
  }
  const found = await next(specifier, { ...context, parentURL: parent.href });
  if (isOwn(parent.snapshot, found.url)) return served(found.url, parent, context);
  if (specifier.startsWith('#') && !found.url.startsWith('node:')) {
    throw new Error("'" + specifier + "' leads to " + found.url + ', which consent does not cover: if that is a package, import it by its own name');
  }
  return found;
}

export async function load(url, context, next) {
  const asked = placed(url);
  if (asked === undefined) return next(url, context);
  const { format, source } = asked.snapshot.files.get(asked.href);
  return { format, source, shortCircuit: true };
}
`;
