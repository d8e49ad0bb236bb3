/** `treblehook why`: one screen about a plugin, a tool or a hook point. */
import { nearestName } from '@treblehook/types';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import type { StoreFlags } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { lastRunLines, lastRunOf, type Whose } from './last-run.js';
import { namesIn, partsOf, type Part } from './parts.js';
import { partLines } from './text.js';
import { worldOf, type WorldFlags } from './world.js';

export interface WhyFlags extends WorldFlags, StoreFlags {
  readonly name: string;
  readonly json?: boolean | undefined;
}

/** Nothing without consent is imported for it. Rejects with `UsageError` for a name that nothing here has. */
export async function why(flags: WhyFlags, io: Io): Promise<number> {
  const world = await worldOf(flags, io);
  const parts = partsOf(flags.name, world);
  if (parts.length === 0) throw unknownName(flags.name, namesIn(world));
  const redact = redactor(io.env);
  const told = [];
  for (const part of parts) told.push({ ...part, lastRun: await lastRunOf(flags, io, whoseOf(part)) });
  if (flags.json) {
    io.stdout.write(`${jsonText(redact.data({ name: flags.name, is: told }), 2)}\n`);
    return exitCodes.done;
  }
  const { bold, dim } = createColors(wantsColor(io.stdout, io.env));
  const ids = world.personalities.map(({ id }) => id);
  const blocks = told.map((part) =>
    [...partLines(part, ids, { title: bold, head: dim }), ...lastRunLines(part.lastRun).map(oneLineIn)].join('\n'),
  );
  io.stdout.write(`${redact.text(blocks.join('\n\n'))}\n`);
  return exitCodes.done;
}

/** Its indentation stays. */
const oneLineIn = (line: string): string => `${/^ */.exec(line)![0]}${oneLine(line)}`;

function whoseOf(part: Part): Whose {
  if (part.kind === 'plugin') {
    const { id = '' } = part.plugin;
    const own = new Set(part.seats.map(({ row }) => row.id));
    return {
      isHandler: (handler, owner) => (owner === undefined ? own.has(handler) : owner === id),
      isTool: (_, source) => source === `plugin:${id}`,
    };
  }
  if (part.kind === 'tool') return { isHandler: () => false, isTool: (name) => name === part.name };
  const seated = new Set(part.point.plan.map(({ id }) => id));
  return {
    isHandler: (handler, _, hook) => (hook === undefined ? seated.has(handler) : hook === part.point.name),
    isTool: () => false,
  };
}

function unknownName(name: string, names: readonly string[]): UsageError {
  const near = nearestName(name, names);
  const mend =
    near === undefined ? 'treblehook plugin list and treblehook plan show what there is' : `did you mean '${near}'?`;
  return new UsageError(`nothing here is called '${oneLine(name)}', no plugin, tool or hook point: ${mend}`);
}
