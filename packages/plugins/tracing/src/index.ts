/** The public names of `@treblehook/plugin-tracing`; the plugin itself is the default export. */
import { tracing } from './plugin.js';

export { tracing } from './plugin.js';
export type { TracingOptions } from './plugin.js';
export default tracing();
