/** Folders with a config and plugins, and consent to them, for the laws of discovery and trust. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isHookError, type HookError } from '@treblehook/types';
import { expect } from 'vitest';
import { consentFor, grant, readHostConfig, type HostConfig, type ReadHostConfigOptions } from '../../src/index.js';
import { folderWith } from '../temp.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A module that leaves a mark when it is imported: `<folder>/ran-<mark>`. */
export const marks = (mark: string, rest = ''): string =>
  `import { writeFileSync as write } from 'node:fs';\nwrite(new URL('./ran-${mark}', import.meta.url), '');\n${rest}`;

/** A plugin without anything to say, by default. */
export const pluginText = (id: string, body = ''): string =>
  `export default { id: '${id}', setup(api) { ${body} } };\n`;

export const manifestText = (id: string, more: object = {}, pack: object = {}): string =>
  JSON.stringify(
    {
      name: id,
      version: '1.0.0',
      type: 'module',
      treblehook: { plugin: './index.js', id, apiVersion: 1, hooks: [], tools: [], ...more },
      ...pack,
    },
    null,
    2,
  );

/** An installed package with one module. */
export const installed = (id: string, module = pluginText(id), more: object = {}, pack: object = {}): Files => ({
  [`node_modules/${id}/package.json`]: manifestText(id, more, pack),
  [`node_modules/${id}/index.js`]: module,
});

/** A config whose one personality `p` lists `ids`. */
export const configText = (plugins: readonly unknown[], ids: readonly string[], more: object = {}): string =>
  JSON.stringify({ plugins, personalities: [{ id: 'p', plugins: ids }], ...more }, null, 2);

export interface Place {
  readonly dir: string;
  readonly trust: string;
  readonly read: (options?: ReadHostConfigOptions) => Promise<HostConfig>;
  /** Consents to all that is asked, the config module first. */
  readonly consent: () => Promise<void>;
  readonly has: (path: string) => boolean;
}

export async function place(files: Files): Promise<Place> {
  const dir = await folderWith(files);
  const trust = join(await folderWith(), 'trust.json');
  const consent = async (): Promise<void> => {
    for (;;) {
      const { items, isWhole } = await consentFor(dir, { trust });
      await grant(
        trust,
        items.map(({ item }) => item),
        { by: 'somebody' },
      );
      if (isWhole) return;
    }
  };
  return {
    dir,
    trust,
    read: (options = {}) => readHostConfig(dir, { trust, ...options }),
    consent,
    has: (path) => existsSync(join(dir, path)),
  };
}

/** What is refused, with its message without the folder. */
export async function refusal(work: () => unknown, dir = ''): Promise<HookError & { readonly text: string }> {
  try {
    await work();
  } catch (error) {
    if (!isHookError(error)) throw error;
    expect(error.message).not.toContain('\n');
    return Object.assign(error, { text: error.message.replaceAll(`${dir}/`, '') });
  }
  throw new Error('it was taken');
}
