/** Makes the plugin: it watches the calls of a run, and lets the run end when each check has passed. */
import { definePlugin, givenInline, longestTimerMs, Setting, type BeforeFinish, type Plugin } from '@treblehook/types';
import { askCode, defaultTimeoutMs } from './ask-code.js';
import type { Check } from './checks.js';
import { Evidence } from './evidence.js';
import { Recent } from './recent.js';
import { configSchema, readCheck, readOptions, type VerifyFinishOptions } from './settings.js';

/** Of one run. */
interface Told {
  /** How often the model was told what is missing. */
  count: number;
  /** Why no further request of it is sent. */
  stop: string | undefined;
}

/**
 * The plugin with checks of this program, functions among them; those of its `config` are asked, too. Throws
 * `TH_OPTION_INVALID` and `TH_CONFIG_INVALID` for what is no check.
 */
export function verifyFinish(options: VerifyFinishOptions = {}): Plugin {
  const code = readOptions(options, (check) => readCheck(new Setting(check, givenInline('verifyFinish'))));
  return definePlugin({
    id: 'verify-finish',
    config: configSchema(code),
    setup({ hooks, config: { checks, maxContinuations } }) {
      const sessions = new Recent(() => new Evidence());
      const runs = new Recent<Told>(() => ({ count: 0, stop: undefined }));

      hooks.registerModifying('beforeTool', (call) => sessions.of(call.origin.sessionId).begin(call), {
        id: 'begun',
      });
      hooks.registerModifying('afterTool', (call) => sessions.of(call.origin.sessionId).ran(call), { id: 'ran' });
      hooks.registerVoid('toolEnd', (end) => sessions.of(end.origin.sessionId).end(end, checks), { id: 'ended' });

      hooks.registerModifying(
        'beforeFinish',
        async (finish, ctx) => {
          const unmet = await unmetOf(checks, finish, sessions.of(finish.origin.sessionId), () => ctx.signal);
          if (unmet.length === 0) return undefined;
          const told = runs.of(finish.origin.runId);
          if (told.count++ >= maxContinuations) told.stop = stopText(unmet, maxContinuations);
          return { revise: [reviseText(unmet)] };
        },
        { id: 'checks', onError: 'abort', timeoutMs: budgetOf(checks) },
      );
      // what is to be revised beyond the cap is asked of nobody: the run ends here, and says why
      hooks.registerModifying(
        'beforeLLM',
        ({ origin, purpose }) => {
          const stop = runs.known(origin.runId)?.stop;
          return stop === undefined || purpose !== undefined ? undefined : { veto: stop };
        },
        { id: 'stop', onError: 'abort' },
      );
      hooks.registerVoid('agentDone', ({ origin }) => runs.forget(origin.runId), { id: 'done' });
      hooks.registerVoid('sessionEnd', ({ origin }) => sessions.forget(origin.sessionId), { id: 'closed' });
    },
  });
}

interface Unmet {
  readonly check: Check;
  readonly why: string;
}

/** One after another: two checks may stand in each other's way. */
async function unmetOf(
  checks: readonly Check[],
  finish: BeforeFinish,
  evidence: Evidence,
  signal: () => AbortSignal,
): Promise<readonly Unmet[]> {
  const { runId } = finish.origin;
  const unmet: Unmet[] = [];
  for (const check of checks) {
    const lacks = evidence.lacks(check, runId);
    if (!('check' in check)) {
      if (lacks !== undefined) unmet.push({ check, why: `${called(check)} has not passed ${lacks}` });
      continue;
    }
    if (lacks === undefined && check.after !== undefined) continue; // it has passed, and nothing has changed since
    const since = evidence.mark();
    const said = await askCode(check, finish, signal());
    if (said === true) evidence.pass(check, since, runId);
    else unmet.push({ check, why: said });
  }
  return unmet;
}

const called = ({ tool, match }: Exclude<Check, { check: unknown }>): string =>
  match === undefined
    ? `'${tool}'`
    : `'${tool}' with ${Object.entries(match)
        .map(([key, words]) => `${key}: ${words}`)
        .join(', ')}`;

const listed = (unmet: readonly Unmet[]): string => unmet.map(({ check, why }) => `${check.name}: ${why}`).join('; ');

function stopText(unmet: readonly Unmet[], times: number): string {
  return `it may not end, and was told so ${times === 1 ? 'once' : `${times} times`}: ${listed(unmet)}`;
}

/** It says the same as long as the same is missing: by that the loop sees that nothing goes on. */
function reviseText(unmet: readonly Unmet[]): string {
  const lines = unmet.map(
    ({ check, why }) => `- ${check.name}: ${why}${check.message === undefined ? '' : `. ${check.message}`}`,
  );
  return `You are not done yet. What must hold before you end:\n${lines.join('\n')}`;
}

/** Of the handler: that of all checks with functions, and some time of its own. */
function budgetOf(checks: readonly Check[]): number {
  const all = checks.map((check) => ('check' in check ? (check.timeoutMs ?? defaultTimeoutMs) : 0));
  return Math.min(
    all.reduce((sum, ms) => sum + ms, 10_000),
    longestTimerMs,
  );
}
