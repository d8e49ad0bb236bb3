/** The public names of `@treblehook/providers`. */
export { keyFor, keyVariableOf } from './keys.js';
export { urlOf } from './model-string.js';
export type { ProviderName } from './model-string.js';
export type { ProviderModel } from './provider-model.js';
export { resolveModel } from './resolve-model.js';
export type { ModelOptions } from './resolve-model.js';
