export const newArgs = {
  name: { type: 'positional', required: true, description: 'Of the package, such as acme-notes or @acme/notes' },
  dir: { type: 'string', valueHint: 'folder', description: 'Where to write it; a new folder of that name if left out' },
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

/** The flags of each command as data. */
import type { ArgsDef } from 'citty';

/** What a run is made of, new or gone on with. */
const hostArgs = {
  dir: {
    type: 'string',
    valueHint: 'folder',
    description: 'The folder that the tools work in; the current one if left out',
  },
  model: {
    type: 'string',
    valueHint: 'provider:id[@url]',
    description: 'The model; else $TREBLEHOOK_MODEL, else offline',
  },
  personality: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'System text, model, tools, budgets and plugins (of those that the config of the folder names)',
  },
  policy: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'Rules that deny tool calls, or ask about them',
  },
  tools: {
    type: 'string',
    valueHint: 'names',
    description:
      'Built-in tools to offer, names and globs with commas between, or all; those that only read if left out',
  },
  mcp: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'MCP servers that are connected for the run, and ended with it',
  },
  strict: {
    type: 'boolean',
    description: 'Refuse a rule or a glob that matches nothing; else it is a warning, and the run goes on',
  },
  'on-ask': {
    type: 'string',
    valueHint: 'deny|suspend',
    description: 'What an ask does; if left out, you are asked on a terminal, and elsewhere the run waits in the store',
  },
  json: { type: 'boolean', description: 'Print the result as one JSON document, and nothing else, on stdout' },
  trace: { type: 'boolean', description: 'Print what each handler did in the run (in the document with --json)' },
} as const satisfies ArgsDef;

const store = {
  type: 'string',
  valueHint: 'file',
  description: 'The file that sessions are kept in; .treblehook/sessions.db below the current folder if left out',
} as const;
const noConfig = {
  type: 'boolean',
  description: 'Leave the config file of the folder unread, with its plugins, personalities, model and policy',
} as const;
const session = { type: 'positional', required: true, description: 'The id of the session' } as const;

export const runArgs = {
  prompt: { type: 'positional', required: true, description: 'What to do, in quotes' },
  ...hostArgs,
  store,
  'no-config': noConfig,
  'no-store': { type: 'boolean', description: 'Keep nothing: the session ends with the run, and an ask is a denial' },
  session: {
    type: 'string',
    valueHint: 'id',
    description: 'Go on with this session, or begin it; a new one if left out',
  },
} as const satisfies ArgsDef;

export const listArgs = {
  store,
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

export const showArgs = { session, ...listArgs } as const satisfies ArgsDef;

export const auditArgs = {
  session,
  verify: { type: 'boolean', description: 'Say only whether the log holds, and what contradicts it' },
  ...listArgs,
} as const satisfies ArgsDef;

export const resumeArgs = {
  session,
  yes: { type: 'string', valueHint: 'request', description: 'Answer this request with yes' },
  no: { type: 'string', valueHint: 'request', description: 'Answer this request with no' },
  reason: { type: 'string', valueHint: 'text', description: 'With --no: why; the model is told' },
  remember: { type: 'boolean', description: 'With --yes: the same call is not asked about again in this session' },
  store,
  ...hostArgs,
} as const satisfies ArgsDef;

export const revokeArgs = {
  session,
  grant: { type: 'positional', required: true, description: 'The id of the grant, as session show tells it' },
  ...listArgs,
} as const satisfies ArgsDef;

export const exportArgs = {
  session,
  format: {
    type: 'string',
    valueHint: 'jsonl|json|markdown',
    description: 'Records as JSON lines if left out, as one document, or a page to read',
  },
  out: { type: 'string', valueHint: 'file', description: 'Write it to this file; to stdout if left out' },
  force: { type: 'boolean', description: 'With --out: replace a file that is there' },
  store,
} as const satisfies ArgsDef;

export const planArgs = {
  hook: { type: 'positional', required: false, description: 'One hook point; all of them if left out' },
  dir: {
    type: 'string',
    valueHint: 'folder',
    description: 'The folder whose config is read; the current one if left out',
  },
  personality: { type: 'string', valueHint: 'file.yaml', description: 'The personality that the plan is made for' },
  'no-config': noConfig,
  strict: {
    type: 'boolean',
    description: 'Refuse a glob in it that matches nothing; else it is a warning',
  },
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

const policyFlag = {
  type: 'string',
  valueHint: 'file.yaml',
  description: "The operator's policy; the folder's own and the personality's tighten it",
} as const;
const judgeArgs = {
  dir: {
    type: 'string',
    valueHint: 'folder',
    description: 'The folder that paths are meant from, with its .treblehook/policy.yaml; the current one if left out',
  },
  personality: { type: 'string', valueHint: 'file.yaml', description: 'A personality, whose policy counts too' },
  mcp: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'MCP servers, started to list their tools and ended; left out, nothing is known of those',
  },
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

export const checkArgs = {
  file: { type: 'positional', required: true, description: 'The policy file' },
  ...judgeArgs,
  strict: { type: 'boolean', description: 'Refuse what matches nothing; else it is a warning' },
} as const satisfies ArgsDef;

export const explainArgs = {
  tool: { type: 'positional', required: true, description: 'The tool, by its name or as mcp:server/tool' },
  args: { type: 'positional', required: false, description: 'Its arguments as JSON; {} if left out' },
  declares: {
    type: 'string',
    valueHint: 'json',
    description: 'Of a tool that is not built in: its { annotations, paths, commands, urls }',
  },
  policy: policyFlag,
  ...judgeArgs,
} as const satisfies ArgsDef;

export const testArgs = {
  cases: { type: 'positional', required: true, description: 'A YAML or JSON file of cases' },
  policy: { ...policyFlag, description: 'The policy, before the one that the file names' },
  ...judgeArgs,
} as const satisfies ArgsDef;

export const simulateArgs = {
  session,
  policy: { ...policyFlag, description: 'The policy to try' },
  store,
  ...judgeArgs,
  dir: { ...judgeArgs.dir, description: 'The folder that paths are meant from; that of the session if left out' },
} as const satisfies ArgsDef;

const folderArgs = {
  dir: {
    type: 'string',
    valueHint: 'folder',
    description: 'The folder whose config is read; the current one if left out',
  },
  personality: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'A further personality, whose list of plugins counts too',
  },
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

export const trustArgs = {
  yes: { type: 'boolean', description: 'Consent to all that is shown, without a question' },
  ...folderArgs,
} as const satisfies ArgsDef;

export const trustListArgs = { json: folderArgs.json } as const satisfies ArgsDef;

export const trustRevokeArgs = {
  id: {
    type: 'positional',
    required: false,
    description: 'The plugin, or the config file; all of the folder if left out',
  },
  dir: { ...folderArgs.dir, description: 'The folder that the consent was given for; the current one if left out' },
  json: folderArgs.json,
} as const satisfies ArgsDef;

export const pluginListArgs = folderArgs;

export const pluginCheckArgs = {
  path: { type: 'positional', required: true, description: 'The folder of a package, or its tarball' },
  settings: { type: 'string', valueHint: 'json', description: 'What the config of a host would give it' },
  yes: { type: 'boolean', description: 'Run the code of the plugin without a question' },
  json: folderArgs.json,
} as const satisfies ArgsDef;

export const whyArgs = {
  name: { type: 'positional', required: true, description: 'A plugin, a tool or a hook point' },
  ...folderArgs,
  personality: { ...hostArgs.personality, description: 'The personality that it is asked about' },
  policy: policyFlag,
  store,
} as const satisfies ArgsDef;

/** The flags of each command, by the words that it is called by. */
export const argsOf: Readonly<Record<string, ArgsDef>> = {
  run: runArgs,
  'session list': listArgs,
  'session show': showArgs,
  'session resume': resumeArgs,
  'session revoke': revokeArgs,
  'session export': exportArgs,
  audit: auditArgs,
  'policy check': checkArgs,
  'policy explain': explainArgs,
  'policy test': testArgs,
  'policy simulate': simulateArgs,
  'plugin new': newArgs,
  plan: planArgs,
  trust: trustArgs,
  'trust list': trustListArgs,
  'trust revoke': trustRevokeArgs,
  'plugin list': pluginListArgs,
  'plugin check': pluginCheckArgs,
  why: whyArgs,
};
