/** One case through one entry: its steps in order, and where what was observed is not what should have been. */
import type { AgentStream, Hooks, RunResult, Session } from '@treblehook/agent';
import { HookError, isHookError, type Answer, type Request } from '@treblehook/types';
import type { Effects } from './actions.js';
import { chainOf } from './build.js';
import type { Entry } from './entry.js';
import type { AnswerSpec, ChainSpec, Fixture, FixtureCase, Step } from './fixture.js';
import { mismatches } from './match.js';
import { shortError, shortResult, shortSession, watch } from './observe.js';
import { World } from './world.js';

export interface CaseReport {
  /** What each step was compared by: the same for every entry. */
  readonly observed: readonly object[];
  /** One line for each expectation that does not hold; it names fixture, case, step and pointer. */
  readonly faults: readonly string[];
}

/**
 * Rejects for a case that no port could run: a step or a word that is none, an agent that is not there. What is no
 * fixture, no case or no entry at all is `TH_OPTION_INVALID`.
 */
export async function runCase(
  of: Pick<Fixture, 'fixture'>,
  one: FixtureCase,
  entry: Entry,
  how: 'run' | 'stream',
): Promise<CaseReport> {
  assertCase(of, one, entry, how);
  const { fixture } = of;
  const { name, setup = {}, steps } = one;
  const world = new World(entry, setup);
  const observed: object[] = [];
  const faults: string[] = [];
  try {
    for (const [at, step] of steps.entries()) {
      const found = await take(step, world, how);
      observed.push(found);
      for (const { pointer, expected, found: there } of mismatches(step.expect ?? {}, found)) {
        const where = `${fixture}.json, '${name}', step ${at}, ${pointer} (${entry.name}, ${how})`;
        faults.push(`${where}: expected ${expected}, found ${there}`);
      }
    }
  } finally {
    await world.close();
  }
  return { observed, faults };
}

/** Of the four arguments what a program without types may get wrong; the schema is what checks a fixture. */
function assertCase(of: Partial<Fixture>, one: Partial<FixtureCase>, entry: Partial<Entry>, how: string): void {
  const assert = (holds: boolean, what: string): void => {
    if (!holds) throw new HookError('TH_OPTION_INVALID', { what, where: ' (runCase)' });
  };
  assert(typeof of?.fixture === 'string', "the first argument must be a fixture, or { fixture: '<its name>' }");
  assert(typeof one?.name === 'string', 'the second argument must be a case of a fixture: it has no name');
  assert(Array.isArray(one.steps), `the case '${one.name}' must have a list of steps`);
  assert(typeof entry?.open === 'function', 'the third argument must be an entry, such as agentEntry');
  assert(how === 'run' || how === 'stream', "the fourth argument must be 'run' or 'stream'");
}

async function take(step: Step, world: World, how: 'run' | 'stream'): Promise<object> {
  const seen = watch(world);
  if ('chain' in step) return { ...(await chain(step.chain, world.effects)), ...seen() };
  if ('restart' in step) {
    world.restart(step.restart);
    return seen();
  }
  if ('advance' in step) {
    world.clock.advance(step.advance);
    return seen();
  }
  const { agent = 'agent', session: id = agent } = step;
  const session = world.session(agent, id);
  let outcome: object = {};
  if ('load' in step) await session.load();
  else {
    try {
      const result = await begun(step, session, world.requests.get(id) ?? [], how);
      if (result.pending !== undefined) world.requests.set(id, result.pending);
      outcome = { result: shortResult(result) };
    } catch (error) {
      if (!isHookError(error)) throw error;
      outcome = { refused: { code: error.code } };
    }
  }
  return { ...outcome, session: shortSession(session.messages(), session.requests()), ...seen() };
}

type Begins = Extract<Step, { run: string }> | Extract<Step, { resume: unknown }>;
function begun(
  step: Begins,
  session: Session,
  requests: readonly Request[],
  how: 'run' | 'stream',
): Promise<RunResult> {
  if ('run' in step) return how === 'run' ? session.run(step.run) : drained(session.stream(step.run));
  const answer = step.resume === null ? undefined : answerOf(step.resume, requests);
  return how === 'run' ? session.resume(answer) : drained(session.resumeStream(answer));
}

/** The last event is the end, and says what the stream gives. */
async function drained(stream: AgentStream): Promise<RunResult> {
  let told: RunResult | undefined;
  for (;;) {
    const next = await stream.next();
    if (next.done !== true) {
      told = next.value.type === 'done' ? next.value.result : undefined;
      continue;
    }
    if (told !== next.value) throw new TypeError("the last event of a stream is not 'done' with its result");
    return next.value;
  }
}

function answerOf({ request, id, ...rest }: AnswerSpec, requests: readonly Request[]): Answer {
  const named = id ?? requests[request ?? 0]?.id;
  if (named === undefined) throw new TypeError(`no request ${request ?? 0} was seen to wait for an answer`);
  return { id: named, ...rest };
}

const llmKinds: ReadonlySet<string> = new Set(['beforeLLM', 'afterLLM']);

/** `kinds` is absent when the chain is: nothing was composed to nothing. */
async function chain({ stages, call }: ChainSpec, effects: Effects): Promise<object> {
  const chained = chainOf(stages, effects);
  const found = { kinds: chained && Object.keys(chained) };
  if (call === undefined) return found;
  const callback = chained?.[call.on] as NonNullable<Hooks['beforeLLM']> | undefined;
  if (callback === undefined) throw new TypeError(`the chain has no '${call.on}' that could be called`);
  const shared = { turn: 0, runId: 'run', ...(llmKinds.has(call.on) ? { model: 'm' } : {}) };
  const event = { ...shared, ...call.event, signal: new AbortController().signal };
  try {
    const returned = await callback.call(chained, event as never);
    return { ...found, returned: returned === undefined || returned === null ? undefined : { ...returned } };
  } catch (error) {
    return { ...found, threw: shortError(error) };
  }
}
