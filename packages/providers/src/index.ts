/** The public names of `@treblehook/providers`. */
export { keyFor } from './keys.js';
export type { ProviderName } from './model-string.js';
export type { ProviderModel } from './provider-model.js';
export { resolveModel } from './resolve-model.js';
export type { ModelOptions } from './resolve-model.js';
