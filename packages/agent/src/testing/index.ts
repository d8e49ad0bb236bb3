/** The public names of `@treblehook/agent/testing`. */
export { scriptedModel } from './scripted-model.js';
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedUsage,
} from './scripted-model.js';
export { manualClock } from './manual-clock.js';
export type { ManualClock } from './manual-clock.js';
export { deferred } from './deferred.js';
export type { Deferred } from './deferred.js';
export type { Law } from './law.js';
export { storeLaws } from './store-laws/store-laws.js';
export type { StoreLawOptions } from './store-laws/store-laws.js';
export type { OpenStore, ReopenStore } from './store-laws/bench.js';
export { leftBehind } from './left-behind.js';
