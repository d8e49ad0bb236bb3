/** The list of a server's tools, page by page, as the server sent it. */
import type { Connection } from './connection.js';

export interface Listing {
  readonly definitions: readonly unknown[];
  /** There are more than are wanted. */
  readonly isCut: boolean;
}

const maxPages = 1_000;

/** Rejects when a page is none, or when the pages do not end. */
export async function listTools(
  connection: Connection,
  {
    maxTools,
    signal,
    timeoutMs,
  }: { readonly maxTools: number; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Listing> {
  const definitions: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const params = cursor === undefined ? {} : { cursor };
    const page = (await connection.request('tools/list', params, { signal, timeout: timeoutMs })) as {
      readonly tools?: unknown;
      readonly nextCursor?: unknown;
    };
    if (!Array.isArray(page.tools)) throw new Error('sent a list of tools that is no list');
    for (const one of page.tools as readonly unknown[]) {
      if (definitions.length === maxTools) return { definitions, isCut: true };
      definitions.push(one);
    }
    if (page.nextCursor === undefined || page.nextCursor === null) return { definitions, isCut: false };
    if (typeof page.nextCursor !== 'string') throw new Error('sent a list of tools whose next page has no name');
    cursor = page.nextCursor;
    if (cursors.has(cursor) || cursors.size === maxPages) throw new Error('sent a list of tools that does not end');
    cursors.add(cursor);
  }
}
