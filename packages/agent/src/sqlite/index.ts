/** The session store in a SQLite file: durable, shared by processes of one machine. */
export { encodeRecord } from './record-json.js';
export { sqliteStore } from './sqlite-store.js';
export type { SqliteStoreOptions } from './sqlite-store.js';
