/** The public names of `@treblehook/plugin-tool-policy`. */
export type { CommandTest } from './commands/command-test.js';
export { fullName, namesTool } from './compile-rule.js';
export { compilePolicy } from './decide.js';
export type { CompiledPolicy, PolicyReport, PolicyVerdict, RuleReport } from './decide.js';
export type { HostTest } from './hosts/host-test.js';
export { install } from './install.js';
export type { InstallOptions } from './install.js';
export type { PolicyLayer } from './layer.js';
export type { PolicedCall, PolicedTool } from './look.js';
export { parsePolicy } from './parse-policy.js';
export type { PathTest } from './paths/path-test.js';
export type { Policy, Rule, Unlisted } from './policy.js';
export type { Predicate } from './predicate.js';
export { readCommand } from './shell/read-command.js';
export type { CommandReading, SimpleCommand } from './shell/read-command.js';
export { unmatchedPointers, unmatchedTools } from './unmatched.js';
export type { UnmatchedPointer, UnmatchedTools } from './unmatched.js';
export type { PolicyWorldOptions } from './world.js';
