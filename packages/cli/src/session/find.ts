/** A session by its id, read from its file. Nothing is taken or changed by it. */
import { readSession, type SessionView } from '@treblehook/agent';
import { HookError, nearestName, type SessionSummary, type StoredRecord } from '@treblehook/types';
import { defaultStore, type Kept } from '../store-file.js';

export interface Found {
  readonly summary: SessionSummary;
  readonly records: readonly StoredRecord[];
  readonly view: SessionView;
}

/** How many ids a refusal names. */
const mostNamed = 3;

/** Rejects with `TH_SESSION_UNKNOWN`, which names the nearest ids. */
export async function findSession(kept: Kept | undefined, id: string): Promise<Found> {
  const all = kept === undefined ? [] : await kept.store.list();
  const summary = all.find(({ sessionId }) => sessionId === id);
  if (kept === undefined || summary === undefined) {
    const ids = all.map(({ sessionId }) => sessionId);
    throw new HookError('TH_SESSION_UNKNOWN', {
      session: id,
      store: kept?.shown ?? defaultStore,
      mend: mendOf(id, ids),
      near: nearIds(id, ids),
    });
  }
  const records = await kept.store.read(id);
  return { summary, records, view: readSession(records) };
}

/** The session that is answered and resumed for this one: itself, or the root of the tasks that it is a child of. */
export async function rootOf(kept: Kept | undefined, found: Found): Promise<Found> {
  const parents = new Map((await kept?.store.list())?.map(({ sessionId, parent }) => [sessionId, parent]));
  const seen = new Set<string>();
  let id = found.summary.sessionId;
  for (let parent = parents.get(id); parent !== undefined && !seen.has(parent); parent = parents.get(id)) {
    if (!parents.has(parent)) break; // a parent that is not kept any more resumes nothing
    seen.add(parent);
    id = parent;
  }
  return id === found.summary.sessionId ? found : findSession(kept, id);
}

function mendOf(id: string, ids: readonly string[]): string {
  if (ids.length === 0) return 'nothing is kept there; it is looked for below the current folder, or in --store <file>';
  const near = nearIds(id, ids);
  if (near.length > 0) return `did you mean ${near.map((one) => `'${one}'`).join(', or ')}?`;
  return `the newest is '${ids[0]!}'; treblehook session list shows all`;
}

/** Those that begin or end like it, else the one with the fewest other letters. */
function nearIds(id: string, ids: readonly string[]): readonly string[] {
  const part = id.toLowerCase();
  const like = ids.filter((one) => part.length > 2 && one.toLowerCase().includes(part)).slice(0, mostNamed);
  const near = like.length > 0 ? undefined : nearestName(id, ids);
  return near === undefined ? like : [near];
}
