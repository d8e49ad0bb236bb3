/** What a new plugin is called: the package as npm takes it, and the id that personalities list. */
import { basename } from 'node:path';
import { agentHooks, isPluginId, reservedIds, type HookPoint } from '@treblehook/types';
import { UsageError } from '../usage-error.js';

export interface PluginName {
  /** Of the package, `@acme/treblehook-notes`. */
  readonly name: string;
  /** `notes`. */
  readonly id: string;
}

/** https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const legal = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Names in the house order of a point: a host has to give such a seat. */
const seats: ReadonlySet<string> = new Set(
  Object.values(agentHooks as Readonly<Record<string, HookPoint>>).flatMap(({ order = [] }) =>
    order.map((entry) => entry.replace(/\?$/, '')),
  ),
);

/** Throws `UsageError` with a name that would do. */
export function readName(name: string): PluginName {
  const id = basename(name).replace(/^treblehook-(?:plugin-)?/, '');
  if (!legal.test(name) || name.length > 214) throw refusal(name, 'no name of an npm package', spelled(id));
  if (!isPluginId(id) || reservedIds.includes(id)) {
    const what = `its id would be '${id}', which no plugin may have (a-z, 0-9 and '-', a letter first)`;
    throw refusal(name, what, spelled(id));
  }
  if (seats.has(id)) throw refusal(name, `its id '${id}' is a seat of the house order`, `my-${id}`);
  return { name, id };
}

const refusal = (name: string, what: string, mend: string): UsageError =>
  new UsageError(`'${name}': ${what}: try treblehook plugin new ${mend}`);

/** The nearest id. */
function spelled(id: string): string {
  const near = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return near !== '' && isPluginId(near) && !seats.has(near) ? near : 'acme-notes';
}
