/** What the house tenants do when nobody says otherwise. */
import type { CompactionOptions } from '@treblehook/plugin-compaction';
import type { RouteGateOptions } from '@treblehook/plugin-route-gate';

/** Fits the smallest context window of today's local models that call tools (32,768 tokens), with room for the answer. */
export const defaultCompaction: CompactionOptions = Object.freeze({ maxTokens: 24_000, prune: true });

/** Each model is a route of its own, nothing is moved and nothing vetoed. */
export const defaultRoutes = (models: readonly string[]): RouteGateOptions => ({
  routes: Object.fromEntries(models.map((model) => [model, { tier: 'standard' }])),
});
