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
export { defineHostConfig } from './discovery/config-keys.js';
export type { HostConfigFile, NamedPluginUse } from './discovery/config-keys.js';
export { readHostConfig } from './discovery/host-config.js';
export type {
  HostConfig,
  HostConfigOptions,
  HostConfigReport,
  NamedPlugin,
  NamedPluginState,
  ReadHostConfigOptions,
} from './discovery/host-config.js';
export { checkManifestHooks, readManifest } from './discovery/manifest.js';
export type { PluginManifest } from './discovery/manifest.js';
export { checkManifestConfig } from './discovery/manifest-config.js';
export type { ConfigSources } from './discovery/read-config.js';
export { consentFor, grant, revoke } from './trust/consent.js';
export type { AskedItem, Consent } from './trust/consent.js';
export { readTrustFile } from './trust/trust-file.js';
export { stateOf } from './trust/trust-record.js';
export type { ConsentItem, TrustRecord, TrustState } from './trust/trust-record.js';
