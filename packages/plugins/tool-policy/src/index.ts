/** The public names of `@treblehook/plugin-tool-policy`. */
export { compilePolicy } from './decide.js';
export type { PolicedCall, PolicyVerdict } from './decide.js';
export { install } from './install.js';
export { parsePolicy } from './policy.js';
export type { Policy, Rule } from './policy.js';
export type { Predicate } from './predicate.js';
export { unmatchedTools } from './unmatched.js';
export type { UnmatchedTools } from './unmatched.js';
