/** Imports a module from the bytes of a snapshot: what stands at its path by now is not looked at. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { HookError } from '@treblehook/types';
import { loaderHooks } from './loader-hooks.js';
import { moduleSource, type ModuleSource } from './module-source.js';
import { sha256 } from './read-bytes.js';
import type { Snapshot } from './snapshot.js';

type Namespace = Readonly<Record<string, unknown>>;
type Importer = (url: string) => Promise<Namespace>;

const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

let port: MessagePort | undefined;
/** An `import` that is Node's: a program that packs this one would follow its own. */
let importer: Promise<Importer> | undefined;
/** Snapshots that the hooks have, by token. */
const given = new Map<string, Promise<void>>();

/**
 * The namespace of the entry. The same bytes at the same place are the same module; other bytes are another one, beside
 * it. Rejects with what the module throws, with `TH_CONFIG_INVALID` for TypeScript that does not erase, and with
 * `TH_OPTION_INVALID` when it does not end within `ms` (it may go on by itself).
 */
export async function importSnapshot(snapshot: Snapshot, ms: number): Promise<Namespace> {
  const token = sha256(JSON.stringify([snapshot.root, snapshot.digest, [...snapshot.aliases]])).slice(0, 32);
  let handing = given.get(token);
  if (handing === undefined) {
    handing = hand(token, snapshot);
    given.set(token, handing);
    handing.catch(() => given.delete(token));
  }
  await handing;
  importer ??= import(dataUrl('export const importer = (url) => import(url);')).then(
    (module: { readonly importer: Importer }) => module.importer,
  );
  const native = await importer;
  const url = `${pathToFileURL(snapshot.entry).href}?treblehook=${token}`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const what = `its import did not end within ${ms} ms: look for an await at its top that waits for ever`;
      reject(new HookError('TH_OPTION_INVALID', { what }));
    }, ms);
  });
  try {
    return await Promise.race([native(url), over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Gives the hooks a snapshot, and waits until they have it. */
async function hand(token: string, snapshot: Snapshot): Promise<void> {
  const files = new Map<string, ModuleSource>();
  for (const path of snapshot.files.keys()) {
    const source = await moduleSource(path, snapshot);
    if (source !== undefined) files.set(pathToFileURL(path).href, source);
  }
  const aliases = new Map([...snapshot.aliases].map(([url, path]) => [url, pathToFileURL(path).href]));
  const root = `${pathToFileURL(snapshot.root).href.replace(/\/$/, '')}/`;
  const to = hooksPort();
  await new Promise<void>((resolve) => {
    const listen = (answer: unknown): void => {
      if (answer !== token) return;
      to.off('message', listen);
      if (to.listenerCount('message') === 0) to.unref();
      resolve();
    };
    to.on('message', listen);
    to.ref();
    // oxlint-disable-next-line require-post-message-target-origin -- a port between threads has no origin
    to.postMessage({ token, root, files, aliases });
  });
}

function hooksPort(): MessagePort {
  if (port !== undefined) return port;
  const { port1, port2 } = new MessageChannel();
  register(dataUrl(loaderHooks), { data: { port: port2 }, transferList: [port2] });
  return (port = port1);
}
