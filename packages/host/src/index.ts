/** The public names of `@treblehook/host`. */
export { createHost } from './create-host.js';
export type { Host } from './create-host.js';
export type { HostOptions } from './host-options.js';
export type { ModelOptionsOf, NamedBy } from './models.js';
export { loadPersonality, parsePersonality } from './personality.js';
export type { HostPersonality, LoadedPersonality } from './personality.js';
export type { PluginLogEntry } from './plugins/plugin-api.js';
export type { FailedPlugin } from './plugins/plugin-set.js';
export type { Declared, PluginUse } from './plugins/plugin-use.js';
export type { PluginTimes } from './plugins/set-up.js';
export { readConfigFile } from './config-file.js';
export type { ConfigFile } from './config-file.js';
export { idlePaths } from './idle-paths.js';
export { idleRules, loadPolicy, readLayers } from './policy-file.js';
export type { GivenPolicies, LoadedLayer, LoadedPolicy } from './policy-file.js';
