/** `treblehook policy check`: reads policies, and says what in them can never match. */
import type { Agent } from '@treblehook/agent';
import { createHost, idlePaths, idleRules, type LoadedLayer } from '@treblehook/host';
import { unmatchedTools } from '@treblehook/plugin-tool-policy';
import type { Tool } from '@treblehook/types';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { toldOf } from '../ending.js';
import { redactor } from '../redact.js';
import { visible } from '../visible.js';
import { absentFolders } from './absent-folders.js';
import { judgeOf, type PolicyFlags } from './judge.js';
import { unknownServers } from './unknown-servers.js';

export interface CheckFlags extends Omit<PolicyFlags, 'policy'> {
  readonly file: string;
  readonly strict?: boolean | undefined;
}

export async function checkPolicy({ file, strict, ...flags }: CheckFlags, io: Io): Promise<number> {
  const judge = await judgeOf({ ...flags, policy: file }, io);
  const { layers, lifted } = await judge.policyFor(judge.personality);
  const { tools } = judge;
  const remote = tools.filter(({ source }) => source !== undefined);
  const offered = await describedTools(tools, judge.dir);
  const others = layers.flatMap((layer) => elsewhere(layer, flags.mcp === undefined ? ['plugin', 'mcp'] : ['plugin']));
  const idle = layers
    .flatMap((layer) => [
      ...idleRules(layer, offered, offered),
      ...idlePaths(layer, tools),
      ...absentFolders(layer, judge.dir),
      ...(judge.knowsServers ? unknownServers(layer, [...new Set(remote.map(({ source = '' }) => source))]) : []),
    ])
    .filter(({ details }) => !others.some(({ file: where, at }) => where === details['file'] && at === details['at']));
  const redact = redactor(io.env);
  const code = strict && idle.length > 0 ? exitCodes.wrongInput : exitCodes.done;
  const told = layers.map(({ name = 'operator', policy }) => {
    const { rules, mode = 'enforce', unknown = 'deny' } = policy;
    return { layer: name, rules: rules.length, mode, unknown };
  });
  if (flags.json) {
    const document = {
      layers: told,
      lifted,
      ...(judge.knowsServers && { tools: remote.map(({ name }) => name) }),
      warnings: idle.map(toldOf),
      notKnown: others.map(({ message }) => ({ message })),
    };
    io.stdout.write(`${jsonText(redact.data(document), 2)}\n`);
    return code;
  }
  for (const { message } of idle) {
    io.stderr.write(`treblehook: ${strict ? '' : 'warning: '}${oneLine(redact.text(message))}\n`);
  }
  for (const { layer, rules, mode, unknown } of told) {
    if (layer === 'default') continue;
    io.stdout.write(`${layer}: ${rules} ${rules === 1 ? 'rule' : 'rules'}, ${mode}; what cannot be told: ${unknown}\n`);
  }
  for (const line of serverLines(remote)) io.stdout.write(`${oneLine(visible(redact.text(line)))}\n`);
  const asked = layers.filter(({ name }) => name === 'default').flatMap(({ policy }) => policy.rules);
  if (asked.length > 0) {
    const names = asked.flatMap(({ tools }) => tools).map((name) => String(name).replace(/^host\//, ''));
    io.stdout.write(`default: asks about ${names.join(', ')}, which the policy does not name\n`);
  }
  if (lifted.length > 0) {
    const names = lifted.map(({ tool, by }) => `${tool} (${by === 'unlisted' ? by : `rule ${by}`})`).join(', ');
    io.stdout.write(`default: asks no more about ${names}: what the policy says of them holds alone\n`);
  }
  for (const { message } of others) io.stdout.write(`${oneLine(redact.text(message))}\n`);
  return code;
}

/** The tools of each server, as rules name them. */
function serverLines(tools: readonly Tool[]): readonly string[] {
  const sources = [...new Set(tools.map(({ source = '' }) => source))];
  return sources.map((source) => {
    const names = tools.filter((tool) => tool.source === source).map(({ name }) => name);
    return `${source} has ${names.join(', ')}`;
  });
}

/** The tools as an agent has them, with the JSON Schema of their arguments. */
async function describedTools(tools: readonly Tool[], cwd: string): Promise<ReturnType<Agent['describe']>['tools']> {
  const host = await createHost({ model: 'offline', tools, cwd, policy: { rules: [] } });
  try {
    return host.agent.describe().tools;
  } finally {
    await host.close();
  }
}

/** A glob for tools that nobody here can list, and its place. */
interface Elsewhere {
  readonly file: string;
  readonly at: string;
  readonly message: string;
}

const mends = {
  mcp: 'name the servers by --mcp=<file.yaml>',
  plugin: 'only the program that brings the plugin has its tools',
} as const;

function elsewhere({ policy, locate }: LoadedLayer, kinds: readonly (keyof typeof mends)[]): readonly Elsewhere[] {
  return unmatchedTools(policy, []).flatMap(({ rule, path, glob }) => {
    const kind = kinds.find((one) => glob.startsWith(`${one}:`));
    if (kind === undefined) return [];
    const place = locate(path, 'value');
    const what = `policy rule ${rule}: whether '${glob}' matches a tool is not known here: ${mends[kind]}`;
    return [{ ...place, message: `${place.file}${place.at}: ${what}` }];
  });
}
