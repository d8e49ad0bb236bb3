/** The public names of `@treblehook/plugin-prompt-cache`; the plugin itself is the default export. */
import { promptCache } from './plugin.js';

export { promptCache } from './plugin.js';
export type { PromptCacheOptions } from './plugin.js';
export type { PromptCacheStats } from './stats.js';
export default promptCache();
