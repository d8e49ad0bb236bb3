/** The commands as data: their names, what they do, and their flags. */
import type { CommandDef } from 'citty';
import {
  auditArgs,
  checkArgs,
  explainArgs,
  exportArgs,
  listArgs,
  newArgs,
  planArgs,
  pluginCheckArgs,
  pluginListArgs,
  resumeArgs,
  revokeArgs,
  runArgs,
  showArgs,
  simulateArgs,
  testArgs,
  trustArgs,
  trustListArgs,
  trustRevokeArgs,
  whyArgs,
} from './command-flags.js';

export const runCommand: CommandDef = {
  meta: { name: 'run', description: 'Run one prompt to its end and stream the answer' },
  args: runArgs,
};
export const planCommand: CommandDef = {
  meta: { name: 'plan', description: 'Show who runs on each hook point, in which order, and why' },
  args: planArgs,
};
export const listCommand: CommandDef = {
  meta: { name: 'session list', description: 'Show the sessions that are kept, the newest first' },
  args: listArgs,
};
export const showCommand: CommandDef = {
  meta: { name: 'session show', description: 'Show one session: its calls, who decided them, what is open' },
  args: showArgs,
};
export const resumeCommand: CommandDef = {
  meta: { name: 'session resume', description: 'Go on with a run that waits, or whose process has died' },
  args: resumeArgs,
};
export const revokeCommand: CommandDef = {
  meta: { name: 'session revoke', description: 'Take back what was granted for a session' },
  args: revokeArgs,
};
export const exportCommand: CommandDef = {
  meta: { name: 'session export', description: 'Write out the log of a session' },
  args: exportArgs,
};
export const sessionCommand: CommandDef = {
  meta: { name: 'session', description: 'Look at sessions that are kept, and go on with them' },
  subCommands: {
    list: listCommand,
    show: showCommand,
    resume: resumeCommand,
    revoke: revokeCommand,
    export: exportCommand,
  },
};
export const auditCommand: CommandDef = {
  meta: {
    name: 'audit',
    description:
      'Show who asked for each call of a session, what the guards said, which answer allowed it, and verify it',
  },
  args: auditArgs,
};
export const checkCommand: CommandDef = {
  meta: { name: 'policy check', description: 'Read a policy, and say what in it can never match' },
  args: checkArgs,
};
export const explainCommand: CommandDef = {
  meta: { name: 'policy explain', description: 'Show what a policy says of one call, rule by rule' },
  args: explainArgs,
};
export const testCommand: CommandDef = {
  meta: { name: 'policy test', description: 'Run the cases of a file against a policy' },
  args: testArgs,
};
export const simulateCommand: CommandDef = {
  meta: { name: 'policy simulate', description: 'Judge the calls of a session by another policy' },
  args: simulateArgs,
};
export const policyCommand: CommandDef = {
  meta: { name: 'policy', description: 'Try a policy before anything runs under it' },
  subCommands: { check: checkCommand, explain: explainCommand, test: testCommand, simulate: simulateCommand },
};
export const newCommand: CommandDef = {
  meta: { name: 'plugin new', description: 'Write the package of a plugin, with its tests' },
  args: newArgs,
};
export const pluginListCommand: CommandDef = {
  meta: { name: 'plugin list', description: 'Show the plugins that the config of a folder names' },
  args: pluginListArgs,
};
export const pluginCheckCommand: CommandDef = {
  meta: { name: 'plugin check', description: 'Look whether a package is a plugin that can be shipped' },
  args: pluginCheckArgs,
};
export const pluginCommand: CommandDef = {
  meta: { name: 'plugin', description: 'Begin a plugin, see those of a folder, check one' },
  subCommands: { new: newCommand, list: pluginListCommand, check: pluginCheckCommand },
};
export const trustListCommand: CommandDef = {
  meta: { name: 'trust list', description: 'Show the consents that were given' },
  args: trustListArgs,
};
export const trustRevokeCommand: CommandDef = {
  meta: { name: 'trust revoke', description: 'Take consent back' },
  args: trustRevokeArgs,
};
export const trustCommand: CommandDef = {
  meta: { name: 'trust', description: 'Show what the config of a folder would run, and consent to it' },
  args: trustArgs,
  subCommands: { list: trustListCommand, revoke: trustRevokeCommand },
};
export const whyCommand: CommandDef = {
  meta: {
    name: 'why',
    description: 'Show of a plugin, a tool or a hook point what it is, who has it, what it did last',
  },
  args: whyArgs,
};
export const mainCommand: CommandDef = {
  meta: { name: 'treblehook', description: 'An agent loop on a hook kernel of three models' },
  subCommands: {
    run: runCommand,
    session: sessionCommand,
    audit: auditCommand,
    policy: policyCommand,
    plugin: pluginCommand,
    trust: trustCommand,
    plan: planCommand,
    why: whyCommand,
  },
};
