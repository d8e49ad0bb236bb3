/** The host of a run as its flags have it: folder, model, personality, policy, store, and who is asked. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createHost, loadPersonality, type Host } from '@treblehook/host';
import { folderTools } from '@treblehook/tools';
import { isHookError, type SessionStore } from '@treblehook/types';
import { askingOf, type AskFlags } from './asking.js';
import { toldOf, type Told } from './ending.js';
import { givenBy, type Given } from './given.js';
import { fileFrom, type Io } from './io.js';
import { keysOf } from './keys.js';
import { withoutModel } from './personality.js';
import { projectPolicyIn } from './policy/project-policy.js';
import type { Redactor } from './redact.js';
import { UsageError } from './usage-error.js';

/** What `run` and `session resume` have in common. */
export interface HostFlags extends AskFlags {
  readonly dir?: string | undefined;
  readonly model?: string | undefined;
  readonly personality?: string | undefined;
  readonly policy?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly store?: string | false | undefined;
  readonly trace?: boolean | undefined;
}

/** Whom it tells what, and where it keeps its sessions. */
export interface Around {
  readonly io: Io;
  readonly redact: Redactor;
  readonly warn: (warning: Told) => void;
  readonly store: SessionStore | undefined;
  /** It goes on with a run that was left open. */
  readonly isResumed?: boolean;
  /** The model was named by the log, and not by the person. */
  readonly isModelFromLog?: boolean;
}

export interface RunHost {
  readonly host: Host;
  /** As the log may keep it. */
  readonly given: Given;
}

/** Rejects with `UsageError` or a `HookError`; nothing was run then. */
export async function hostOf(flags: HostFlags, around: Around): Promise<RunHost> {
  const { io, redact, warn, store, isModelFromLog, isResumed = false } = around;
  const dir = await folderAt(flags.dir, io.cwd);
  const personality =
    flags.personality === undefined ? undefined : await loadPersonality(fileFrom(io, flags.personality));
  const project = projectPolicyIn(dir);
  const fromVariable = flags.model === undefined && io.env['TREBLEHOOK_MODEL']?.trim();
  const model = flags.model ?? (fromVariable || 'offline');
  const host = await createHost({
    model,
    modelOptions: keysOf(io.env, (message) => warn({ message }), isModelFromLog),
    tools: folderTools(dir),
    cwd: dir,
    ...(store && { store }),
    ...askingOf(flags, io, { isKept: store !== undefined, isResumed }, redact),
    ...(personality && { personality: flags.model === undefined ? personality : withoutModel(personality) }),
    ...(flags.policy !== undefined && { policy: fileFrom(io, flags.policy) }),
    ...(project !== undefined && { projectPolicy: project }),
    onDryRun: (verdict, { tool }) => {
      const [word, text] = 'deny' in verdict ? ['denied', verdict.deny] : ['asked about', verdict.ask];
      warn({ message: `rehearsed policy: ${tool.name} would have been ${word} by ${verdict.rule}: ${text}` });
    },
    strict: flags.strict === true,
    onWarning: (warning) => warn(toldOf(warning)),
  }).catch((error: unknown) => {
    const isOfModel = error instanceof UsageError || (isHookError(error) && error.code === 'TH_MODEL_INVALID');
    throw fromVariable && isOfModel ? new UsageError(`$TREBLEHOOK_MODEL: ${error.message}`) : error;
  });
  const isOfFile = flags.model === undefined && personality?.personality.model !== undefined;
  return { host, given: redact.data(givenBy(flags, io.cwd, isOfFile ? undefined : model)) };
}

/** Refuses a folder that the tools could not look into. */
export async function folderAt(dir: string | undefined, cwd: string): Promise<string> {
  const folder = resolve(cwd, dir ?? '.');
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no folder '${dir ?? folder}': check --dir`);
  if (!found.isDirectory()) throw new UsageError(`'${dir ?? folder}' is no folder: give --dir a folder`);
  await access(folder, constants.R_OK | constants.X_OK).catch(() => {
    throw new UsageError(`the folder '${dir ?? folder}' may not be read: check its permissions, or --dir`);
  });
  return folder;
}
