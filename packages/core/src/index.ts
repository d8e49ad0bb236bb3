/** The public names of `@treblehook/core`: the registry, the data that passes through its door, and what keeps both whole. */
export { AbortFan } from './abort-fan.js';
export { closeClass } from './closed-class.js';
export { adopt, frozen } from './door.js';
export { endedBy } from './ended-by.js';
export { fold } from './fold.js';
export { append } from './frozen.js';
export { MarkedList } from './marked-list.js';
export { createHookRegistry } from './registry.js';
export { isPromised } from './thenable.js';
