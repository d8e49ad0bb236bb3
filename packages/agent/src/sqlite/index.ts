/** The session store in a SQLite file: durable, shared by processes of one machine. */
export { sqliteStore } from './sqlite-store.js';
export type { SqliteStoreOptions } from './sqlite-store.js';
