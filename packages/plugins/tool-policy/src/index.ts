/** The public names of `@treblehook/plugin-tool-policy`. */
export { compilePolicy, namesTool } from './decide.js';
export type { PolicedCall, PolicyVerdict } from './decide.js';
export { install } from './install.js';
export { parsePolicy } from './policy.js';
export type { Policy, Rule } from './policy.js';
export type { Predicate } from './predicate.js';
export { unmatchedPointers, unmatchedTools } from './unmatched.js';
export type { UnmatchedPointer, UnmatchedTools } from './unmatched.js';
