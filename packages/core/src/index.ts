/** The public names of `@treblehook/core`: the registry, and the data that passes through its door. */
export { endedBy } from './ended-by.js';
export { fold } from './fold.js';
export { adopt, frozen } from './door.js';
export { createHookRegistry } from './registry.js';
