/** The public names of `@treblehook/plugin-compaction`. */
export { compactor, install } from './tenant.js';
export type { Compacted, CompactorEvent } from './tenant.js';
export type { CompactionOptions, CompactionTenantOptions, SummarizeContext } from './options.js';
export { isSummary } from './summary.js';
