/** `treblehook plan`: who runs on each hook point, before anything is run. */
import { defaultPersonality, toolCallSteps } from '@treblehook/agent';
import { createHost } from '@treblehook/host';
import { urlOf } from '@treblehook/providers';
import { nearestName, type HookError } from '@treblehook/types';
import { createColors } from './colors.js';
import { toldOf, type Told } from './ending.js';
import { assertConsented, configNotices, folderConfig } from './folder-config.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from './io.js';
import { planTables, pointTable } from './plan-table.js';
import { redactor } from './redact.js';
import { folderAt } from './run-host.js';
import { askedFirst } from './tools/asked-first.js';
import { builtInTools } from './tools/built-in.js';
import { UsageError } from './usage-error.js';

export interface PlanFlags {
  readonly hook?: string | undefined;
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly config?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Resolves to the exit code. Rejects with `UsageError` or a `HookError`. */
export async function plan(flags: PlanFlags, io: Io): Promise<number> {
  const dir = await folderAt(flags.dir, io.cwd);
  const folder = await folderConfig(flags, dir, io);
  assertConsented(folder, { model: 'offline' }); // a plan calls none
  const { personality, personalities, plugins, policy: project } = folder;
  const redact = redactor(io.env);
  const warnings: Told[] = [];
  const warn = (warning: HookError): void => {
    warnings.push(toldOf(warning));
    io.stderr.write(`treblehook: warning: ${oneLine(redact.text(warning.message))}\n`);
  };
  for (const notice of configNotices(folder)) warn(notice);
  const tools = builtInTools(dir);
  const { policy: defaultPolicy } = await askedFirst(
    tools,
    undefined,
    personality?.personality.id ?? defaultPersonality.id,
  );
  const host = await createHost({
    model: 'offline',
    tools,
    ...(defaultPolicy && { defaultPolicy }),
    ...(project !== undefined && { projectPolicy: project }),
    cwd: dir,
    ...(personality && { personality }),
    ...(personalities.length > 0 && { personalities }),
    ...(plugins.length > 0 && { plugins }),
    // A plan calls no model: the one that the personality names must be one, and needs no key of the environment.
    modelOptions: (model) => (urlOf(model) === undefined ? { apiKey: 'nothing is sent' } : {}),
    strict: flags.strict === true || folder.strict,
    onWarning: warn,
  });
  const all = host.plan();
  const points = flags.hook === undefined ? all : all.filter(({ name }) => name === flags.hook);
  if (flags.hook !== undefined && points.length === 0) throw unknownHook(flags.hook, all);
  const { id, plugins: listed } = host.agent.describe().personality;
  await host.close();
  if (flags.json) {
    const document = {
      personality: { id, plugins: listed },
      toolCall: toolCallSteps,
      hooks: points,
      warnings: redact.data(warnings),
    };
    io.stdout.write(`${jsonText(document, 2)}\n`);
    return exitCodes.done;
  }
  const { bold, dim } = createColors(wantsColor(io.stdout, io.env));
  const style = { title: bold, head: dim };
  const allowlist = listed.length === 0 ? 'no plugins' : listed.join(', ');
  const steps = `a tool call: ${toolCallSteps.join(' → ')}`;
  const lines = flags.hook === undefined ? [...planTables(points, style), steps] : pointTable(points[0]!, style);
  io.stdout.write(`personality ${id}: ${allowlist}; host handlers always run\n\n${lines.join('\n')}\n`);
  return exitCodes.done;
}

function unknownHook(
  hook: string,
  points: readonly { readonly name: string; readonly aka: readonly string[] }[],
): UsageError {
  const names = new Map(points.flatMap(({ name, aka }) => [name, ...aka].map((alias) => [alias, name] as const)));
  const near = nearestName(hook, names.keys());
  const mend =
    near === undefined ? `there are ${points.map(({ name }) => name).join(', ')}` : `did you mean ${names.get(near)}?`;
  return new UsageError(`there is no hook point '${hook}': ${mend}`);
}
