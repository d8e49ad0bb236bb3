// Asks and other questions: a run waits, in this process or in another one, and what was answered holds for what was shown.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../src/sqlite/index.js';
import {
  defineTool,
  pending,
  type Answer,
  type Request,
  type SessionStore,
  type Tool,
  type ToolEnd,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore, type AgentOptions, type RunResult } from '../src/index.js';
import { manualClock, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, collect, echo, kit, registryWithGuard, textOf } from './kit.js';
import { tool } from './watched.js';

type Kit = ReturnType<typeof kit>;
const askAlways = (made: Kit, question = 'may it?', rule?: string): (() => void) =>
  made.registry.registerClaiming('toolPolicy', () => ({ ask: question, ...(rule === undefined ? {} : { rule }) }), {
    id: 'asker',
  });
const only = ({ pending: requests }: RunResult): Request => {
  expect(requests).toHaveLength(1);
  return requests![0]!;
};
const yes = ({ id }: Request, data?: Answer['data']): Answer => ({
  id,
  ok: true,
  ...(data === undefined ? {} : { data }),
});
const no = ({ id }: Request, reason = 'not today'): Answer => ({ id, ok: false, reason });

/** A kit of a new process: nothing is shared but the store. */
function anew(
  script: readonly ScriptedStep[],
  store: SessionStore,
  options: Partial<AgentOptions> & { tools: readonly Tool[] },
): Kit {
  return kit(script, { ...options, store, registry: registryWithGuard() });
}

describe('an ask', () => {
  it('that nobody answers ends the run pending: no body runs, the history ends before the open turn', async () => {
    const { tool, ran } = echo();
    const made = kit([{ text: 'I echo', calls: [{ name: 'echo', args: { text: 'hi' } }] }], { tools: [tool] });
    askAlways(made);
    const ends: ToolEnd[] = [];
    made.registry.registerVoid('toolEnd', (end) => void ends.push(end));
    const session = made.agent.session();
    const result = await session.run('go');
    expect(result.status).toBe('pending');
    expect(only(result)).toMatchObject({
      kind: 'approval',
      prompt: 'echo: may it?',
      data: {
        tool: { source: 'host', name: 'echo' },
        args: { text: 'hi' },
        asks: [{ guard: 'asker', question: 'may it?' }],
      },
    });
    expect(ran).toEqual([]);
    expect(session.messages()).toEqual([]);
    expect(result.toolCalls).toEqual([]);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['suspended']);
  });

  it('has an id that carries 128 random bits', async () => {
    const ids = new Set<string>();
    for (let at = 0; at < 20; at++) {
      const made = kit([call('echo')], { tools: [echo().tool] });
      askAlways(made);
      ids.add(only(await made.agent.run('go')).id);
    }
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^request_[\w-]{22}$/);
  });

  // https://github.com/openai/openai-agents-python/issues/4244
  it('that is answered in another process lets the body run once, and the run goes on to its end', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], { tools: [echo().tool], store });
    askAlways(first);
    const result = await first.agent.session('s').run('go');
    const { tool, ran } = echo();
    const second = anew(['done'], store, { tools: [tool] });
    askAlways(second);
    const resumed = await second.agent.resume('s', yes(only(result)));
    expect(resumed).toMatchObject({ status: 'done', text: 'done', runId: result.runId, turns: 2 });
    expect(ran).toEqual([{ text: 'hi' }]);
    expect(resumed.toolCalls).toMatchObject([{ name: 'echo', outcome: 'ok', output: 'said hi' }]);
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(second.model.calls).toHaveLength(1);
  });

  it('that is refused is a denial with its reason, and the model goes on', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'as you wish'], { tools: [tool] });
    askAlways(made);
    const session = made.agent.session();
    const resumed = await session.resume(no(only(await session.run('go'))));
    expect(resumed).toMatchObject({ status: 'done', text: 'as you wish' });
    expect(resumed.toolCalls).toMatchObject([{ outcome: 'denied', output: 'refused: not today' }]);
    expect(ran).toEqual([]);
  });

  it('is granted for the call that was shown; the guards are asked again, and a denial wins', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], { tools: [echo().tool], store });
    askAlways(first);
    const result = await first.agent.session('s').run('go');
    const { tool, ran } = echo();
    const second = anew(['oh'], store, { tools: [tool] });
    askAlways(second);
    second.registry.registerClaiming('toolPolicy', () => ({ deny: 'stricter now' }), { id: 'late' });
    const resumed = await second.agent.resume('s', yes(only(result)));
    expect(resumed.toolCalls).toMatchObject([{ outcome: 'denied', output: expect.stringContaining('stricter now') }]);
    expect(ran).toEqual([]);
  });

  it('of another guard that was not shown is put once more; a third round is a denial', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'oh'], { tools: [tool] });
    let count = 0;
    made.registry.registerClaiming('toolPolicy', () => ({ ask: `question ${count++}` }), { id: 'fickle' });
    const session = made.agent.session();
    const second = await session.resume(yes(only(await session.run('go'))));
    expect(second.status).toBe('pending');
    const third = await session.resume(yes(only(second)));
    expect(third.status).toBe('done');
    expect(third.toolCalls).toMatchObject([{ outcome: 'denied', output: expect.stringContaining('anew each time') }]);
    expect(ran).toEqual([]);
  });

  it('that names a rule is the same ask however it is worded', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'ok'], { tools: [tool] });
    let count = 0;
    made.registry.registerClaiming('toolPolicy', () => ({ ask: `at ${count++} o'clock?`, rule: 'hours' }), { id: 'g' });
    const session = made.agent.session();
    expect(await session.resume(yes(only(await session.run('go'))))).toMatchObject({ status: 'done' });
    expect(ran).toHaveLength(1);
  });

  // https://github.com/pydantic/pydantic-ai/issues/6968, https://github.com/anvia-hq/anvia/pull/178
  it('shows the arguments as they will run: rewritten by hooks, under their digest', async () => {
    const store = memoryStore();
    const first = kit([call('echo', { text: 'a' })], { tools: [echo().tool], store });
    first.registry.registerModifying('beforeTool', () => ({ args: { text: 'b' } }));
    askAlways(first);
    const request = only(await first.agent.session('s').run('go'));
    const { tool, ran } = echo();
    const second = anew(['ok'], store, { tools: [tool] });
    let rewritten = 0;
    second.registry.registerModifying('beforeTool', () => {
      rewritten++;
      return { args: { text: 'c' } };
    });
    const seen: unknown[] = [];
    second.registry.registerClaiming(
      'toolPolicy',
      ({ args, digest }) => {
        seen.push({ args, digest });
        return { ask: 'may it?' };
      },
      { id: 'asker' },
    );
    await second.agent.resume('s', yes(request));
    const { args, digest } = request.data as { args: unknown; digest: string };
    expect(args).toEqual({ text: 'b' });
    expect(seen).toEqual([{ args, digest }]);
    expect([ran, rewritten]).toEqual([[{ text: 'b' }], 0]);
  });

  it('may be answered with edited arguments: they are checked, sealed anew, and guarded', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'ok'], { tools: [tool] });
    const digests: string[] = [];
    made.registry.registerClaiming(
      'toolPolicy',
      ({ digest }) => {
        digests.push(digest);
        return { ask: 'may it?' };
      },
      { id: 'asker' },
    );
    const session = made.agent.session();
    const request = only(await session.run('go'));
    expect(await session.resume(yes(request, { args: { text: 'edited' } }))).toMatchObject({ status: 'done' });
    expect(ran).toEqual([{ text: 'edited' }]);
    expect(new Set(digests).size).toBe(2);
  });

  it('that is answered with arguments that do not fit the schema is an error of that call', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'ok'], { tools: [tool] });
    askAlways(made);
    const session = made.agent.session();
    const resumed = await session.resume(yes(only(await session.run('go')), { args: { text: 7 } }));
    expect(resumed.toolCalls).toMatchObject([
      { outcome: 'error', output: expect.stringContaining('as the answer has edited') },
    ]);
    expect(ran).toEqual([]);
  });

  // https://github.com/langchain-ai/deepagents/issues/2946
  it('about the same call is put twice; after two refusals the third call is denied without asking', async () => {
    const { tool } = echo();
    const made = kit([call('echo'), call('echo'), call('echo'), 'I give up'], { tools: [tool] });
    askAlways(made);
    const session = made.agent.session();
    let result = await session.run('go');
    let suspensions = 0;
    while (result.status === 'pending') {
      suspensions++;
      result = await session.resume(no(only(result)));
    }
    expect([suspensions, result.status]).toEqual([2, 'done']);
    expect(result.toolCalls[2]).toMatchObject({ outcome: 'denied', output: expect.stringContaining('refused twice') });
  });

  // https://github.com/langchain-ai/langchainjs/pull/10176
  it('of one call costs its siblings nothing: clear ones have run, edited ones run as edited, refused ones do not', async () => {
    const { tool, ran } = echo();
    const safe: Tool = { ...tool, concurrency: 'safe' };
    const args = ['a', 'b', 'c', 'd'].map((text) => ({ name: 'echo', args: { text } }));
    const made = kit([calls(...args), 'ok'], { tools: [safe] });
    made.registry.registerClaiming(
      'toolPolicy',
      ({ args: given }) => ((given as { text: string }).text === 'a' ? undefined : { ask: 'may it?' }),
      { id: 'asker' },
    );
    const session = made.agent.session();
    const first = await session.run('go');
    expect(ran).toEqual([{ text: 'a' }]);
    const [b, c, d] = first.pending!;
    expect(first.pending).toHaveLength(3);
    const second = await session.resume(yes(b!));
    expect(second.pending!.map(({ id }) => id)).toEqual([c!.id, d!.id]);
    const third = await session.resume(yes(c!, { args: { text: 'C' } }));
    const last = await session.resume(no(d!));
    expect([third.status, last.status]).toEqual(['pending', 'done']);
    expect(ran).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'C' }]);
    const results = last.messages.find(({ role }) => role === 'tool')!.content;
    expect(results.map((part) => (part.type === 'tool-result' ? part.output : ''))).toEqual([
      'said a',
      'said b',
      'said C',
      'refused: not today',
    ]);
  });

  it('keeps later groups from starting; behind the answer they run', async () => {
    const { tool, ran } = echo();
    const made = kit([calls({ name: 'echo', args: { text: '1' } }, { name: 'echo', args: { text: '2' } }), 'ok'], {
      tools: [tool],
    });
    made.registry.registerClaiming(
      'toolPolicy',
      ({ args }) => ((args as { text: string }).text === '1' ? { ask: 'may it?' } : undefined),
      { id: 'asker' },
    );
    const session = made.agent.session();
    const result = await session.run('go');
    expect(ran).toEqual([]);
    expect(await session.resume(yes(only(result)))).toMatchObject({ status: 'done' });
    expect(ran).toEqual([{ text: '1' }, { text: '2' }]);
  });

  it('is settled once: the second answer, an unknown one and a late one are refused, and nothing runs', async () => {
    const clock = manualClock(1_000);
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'ok'], { tools: [tool], clock });
    askAlways(made);
    const session = made.agent.session();
    const request = only(await session.run('go'));
    await expect(session.resume({ id: 'request_of-nobody', ok: true })).rejects.toMatchObject({
      code: 'TH_ANSWER_REFUSED',
      message: expect.stringContaining(`there is no such request: open is ${request.id}`),
    });
    const near = { id: request.id.slice(0, -1), ok: true };
    await expect(session.resume(near)).rejects.toThrow(`there is no such request: did you mean '${request.id}'?`);
    expect(ran).toEqual([]);
    await session.resume(yes(request));
    await expect(session.resume(no(request))).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
    await expect(session.resume()).rejects.toMatchObject({
      code: 'TH_NOTHING_OPEN',
      message: expect.stringMatching(/its last run has ended, or it has none: begin a new one with run$/),
    });
    expect(ran).toHaveLength(1);
  });

  it.each([
    [{}, 'must name its request'],
    [{ id: 'x' }, 'must say ok'],
    [{ id: 'x', ok: true, allow: true }, "has the key 'allow'"],
    [{ id: 'x', ok: true, reason: 7 }, 'reason that is no text'],
  ])('takes no answer like %j', async (answer, what) => {
    const made = kit([call('echo')], { tools: [echo().tool] });
    await expect(made.agent.session().resume(answer as never)).rejects.toThrow(what);
  });

  it.each(['memory', 'sqlite'])(
    'that was answered is over: the conversation goes on, here and in another process (%s)',
    async (kind) => {
      const folder = mkdtempSync(join(tmpdir(), 'treblehook-resume-'));
      const store = kind === 'memory' ? memoryStore() : sqliteStore({ path: join(folder, 's.db') });
      try {
        const { tool, ran } = echo();
        const made = kit([call('echo'), 'paid', 'on', 'and on'], { tools: [tool], store });
        askAlways(made);
        const session = made.agent.session('s');
        const request = only(await session.run('go'));
        const answered = session.resume(yes(request));
        // whoever asks meanwhile, or behind it, finds nothing open
        await expect(session.resume()).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
        expect(await answered).toMatchObject({ status: 'done', text: 'paid' });
        await expect(made.agent.resume('s')).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
        expect(await session.run('go on')).toMatchObject({ status: 'done', text: 'on' });
        expect(ran).toHaveLength(1);
        const anewOne = anew(['again'], store, { tools: [tool] });
        const { status, messages } = await anewOne.agent.session('s').run('again');
        expect([status, messages.filter(({ role }) => role === 'tool').length]).toEqual(['done', 1]);
        expect(
          (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record.outcome] : [])),
        ).toEqual(['ok']);
      } finally {
        await store.close();
        rmSync(folder, { recursive: true });
      }
    },
  );

  it.each<[string, Parameters<typeof kit>[1]]>([
    ['incomplete', { limits: { steps: 1 } }],
    ['failed', {}],
    ['vetoed', {}],
    ['aborted', {}],
  ])('that was answered is over when the run ends %s behind it, too', async (how, options) => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), how === 'failed' ? new Error('x') : 'never', 'on'], { tools: [tool], ...options });
    askAlways(made);
    const session = made.agent.session();
    const request = only(await session.run('go'));
    const abort = new AbortController();
    if (how === 'vetoed')
      made.registry.registerModifying('beforeLLM', ({ origin }) => (origin.turn === 1 ? { veto: 'no' } : undefined));
    if (how === 'aborted') made.registry.registerVoid('toolEnd', () => abort.abort());
    expect(await session.resume(yes(request), { signal: abort.signal })).toMatchObject({ status: how });
    await expect(session.resume()).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
    expect(ran).toHaveLength(1);
  });

  it('is shown by a session that was loaded, to whoever wants to answer it', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], { tools: [echo().tool], store });
    askAlways(first);
    const request = only(await first.agent.session('s').run('go'));
    const session = anew([], store, { tools: [echo().tool] }).agent.session('s');
    expect(session.requests()).toEqual([]);
    await session.load();
    expect(session.requests()).toEqual([request]);
  });

  it.each<[unknown, string]>([
    ['yes', 'data that are no object'],
    [{ arg: { text: 'x' } }, "'arg' in data: did you mean 'args'?"],
    [{ remember: true }, "'remember' that is no object"],
    [{ remember: { for: 'sesion' } }, "for: 'session'"],
    [{ remember: { for: 'session', args: 'all' } }, "args: 'any'"],
    [{ remember: { for: 'session', until: 'tomorrow' } }, "'until'"],
    [{ remember: { for: 'session', until: 1e300 } }, "'until'"],
    [{ remember: { for: 'session', untill: 5 } }, "did you mean 'until'?"],
  ])('takes no answer with data like %j: what was misspelt is no yes to something else', async (data, what) => {
    const { tool, ran } = echo();
    const store = memoryStore();
    const made = kit([call('echo'), 'ok'], { tools: [tool], store });
    askAlways(made);
    const session = made.agent.session('s');
    const request = only(await session.run('go'));
    await expect(session.resume(yes(request, data as never))).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringContaining(what),
    });
    expect(session.grants()).toEqual([]);
    // it is open still; one that was settled elsewhere without a look is a denial
    await store.settle('s', yes(request, data as never));
    expect((await session.resume()).toolCalls).toMatchObject([
      { outcome: 'denied', output: expect.stringContaining('cannot be read') },
    ]);
    expect(ran).toEqual([]);
  });

  it('leaves a conversation that can go on without it: the open call gets a result', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'fine'], { tools: [tool] });
    askAlways(made);
    const session = made.agent.session();
    const request = only(await session.run('go'));
    const next = await session.run('never mind');
    expect(next).toMatchObject({ status: 'done', text: 'fine' });
    expect(next.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(JSON.stringify(next.messages[2])).toContain('waited for an answer');
    await expect(session.resume(yes(request))).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
    await expect(session.resume()).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
    expect(ran).toEqual([]);
  });

  it('of a tool that has changed since is void: the grant is of another tool', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], { tools: [echo().tool], store });
    askAlways(first);
    const request = only(await first.agent.session('s').run('go'));
    const { tool, ran } = echo();
    const second = anew(['ok'], store, { tools: [{ ...tool, description: 'now it deletes' }] });
    const resumed = await second.agent.resume('s', yes(request));
    expect(resumed.toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('another tool') }]);
    expect(ran).toEqual([]);
  });

  it('counts no time of the run while it waits', async () => {
    const clock = manualClock(0);
    const { tool } = echo();
    const made = kit([call('echo'), 'ok'], { tools: [tool], clock, limits: { wallMs: 1_000 } });
    askAlways(made);
    const session = made.agent.session();
    const request = only(await session.run('go'));
    clock.advance(50_000);
    expect(await session.resume(yes(request))).toMatchObject({ status: 'done' });
  });

  it('keeps the budgets of its run over the wait', async () => {
    const { tool } = echo();
    const made = kit([call('echo'), call('echo'), 'ok'], { tools: [tool], limits: { steps: 2, toolCalls: 1 } });
    askAlways(made);
    const session = made.agent.session();
    const result = await session.resume(yes(only(await session.run('go'))));
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls', turns: 2 });
  });

  // https://github.com/mastra-ai/mastra/issues/14379
  it('resumed, asks no stage of the input again, and shows every stage of the request the full history', async () => {
    const store = memoryStore();
    const first = kit([call('echo')], { tools: [echo().tool], store });
    askAlways(first);
    const request = only(await first.agent.session('s').run('go'));
    const second = anew(['ok'], store, { tools: [echo().tool] });
    const seen: string[] = [];
    second.registry.registerModifying('beforeInput', () => void seen.push('beforeInput'));
    second.registry.registerVoid('messageReceived', () => void seen.push('messageReceived'));
    second.registry.registerVoid('sessionStart', ({ how }) => void seen.push(how));
    second.registry.registerModifying('beforePromptBuild', ({ input }) => void seen.push(input));
    second.registry.registerModifying(
      'beforeLLM',
      ({ messages }) => void seen.push(messages.map(({ role }) => role).join()),
    );
    await second.agent.resume('s', yes(request));
    expect(seen).toEqual(['resumed', 'go', 'user,assistant,tool']);
  });
});

describe('an answerer', () => {
  it('is asked while the run waits, with the request and the signal of the run; no hook is', async () => {
    const { tool, ran } = echo();
    const asked: unknown[] = [];
    const made = kit([call('echo'), 'ok'], {
      tools: [tool],
      answerer: {
        answer: (request, signal) => {
          asked.push(request.kind, signal.aborted);
          return { id: request.id, ok: true };
        },
      },
    });
    askAlways(made);
    const { events, result } = await collect(made.agent.stream('go'));
    expect(result).toMatchObject({ status: 'done' });
    expect([ran.length, asked]).toEqual([1, ['approval', false]]);
    expect(events.filter(({ type }) => type === 'request' || type === 'answered')).toMatchObject([
      { type: 'request' },
      { type: 'answered', ok: true },
    ]);
  });

  it('that answers another request, or fails, leaves the call waiting', async () => {
    for (const answer of [() => ({ id: 'request_x', ok: true }), () => Promise.reject(new Error('no terminal'))]) {
      const { tool, ran } = echo();
      const made = kit([call('echo'), 'ok'], { tools: [tool], answerer: { answer } });
      askAlways(made);
      const session = made.agent.session();
      const result = await session.run('go');
      expect(result.status).toBe('pending');
      expect(ran).toEqual([]);
    }
  });

  it('that is too slow for another answer has its own refused: the first one stands', async () => {
    const store = memoryStore();
    const { tool, ran } = echo();
    const made = kit([call('echo'), 'ok'], {
      tools: [tool],
      store,
      answerer: {
        answer: async ({ id }) => {
          await store.settle('s', { id, ok: false, reason: 'said the other' });
          return { id, ok: true };
        },
      },
    });
    askAlways(made);
    const { toolCalls } = await made.agent.session('s').run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'denied', output: 'refused: said the other' }]);
    expect(ran).toEqual([]);
  });

  it('is not waited for once the run is aborted', async () => {
    const abort = new AbortController();
    const made = kit([call('echo'), 'ok'], {
      tools: [echo().tool],
      answerer: {
        answer: () => {
          queueMicrotask(() => abort.abort());
          return new Promise(() => {});
        },
      },
    });
    askAlways(made);
    expect(await made.agent.run('go', { signal: abort.signal })).toMatchObject({ status: 'aborted' });
  });
});

describe('a grant of the session', () => {
  const remembering = (remember: object): Partial<AgentOptions> => ({
    answerer: { answer: ({ id }) => ({ id, ok: true, data: { remember: { for: 'session', ...remember } } }) },
  });
  const asks = (made: Kit): string[] => {
    const requests: string[] = [];
    made.registry.registerVoid('toolEnd', ({ record }) => {
      for (const { granted } of record.asks) requests.push(granted === undefined ? 'open' : Object.keys(granted)[0]!);
    });
    return requests;
  };

  it('settles the ask of the same call from then on, and no other', async () => {
    const script = [call('echo'), call('echo'), call('echo', { text: 'other' }), 'ok'];
    const made = kit(script, { tools: [echo().tool], ...remembering({}) });
    askAlways(made, 'may it?', 'r');
    const seen = asks(made);
    await made.agent.run('go');
    expect(seen).toEqual(['request', 'grant', 'request']);
  });

  it('for any arguments settles the ask of every call of that tool, in another process too', async () => {
    const store = memoryStore();
    const first = kit([call('echo'), 'ok'], { tools: [echo().tool], store, ...remembering({ args: 'any' }) });
    askAlways(first, 'may it?', 'r');
    await first.agent.session('s').run('go');
    const second = anew([call('echo', { text: 'other' }), 'ok'], store, { tools: [echo().tool] });
    askAlways(second, 'may it?', 'r');
    const seen = asks(second);
    expect(await second.agent.session('s').run('go on')).toMatchObject({ status: 'done' });
    expect(seen).toEqual(['grant']);
  });

  it('settles no denial, no ask of another guard or rule, and ends at its time', async () => {
    const clock = manualClock(0);
    const { tool, ran } = echo();
    const made = kit([call('echo'), call('echo'), call('echo'), 'ok'], {
      tools: [tool],
      clock,
      ...remembering({ args: 'any', until: clock.date() + 100 }),
    });
    const off = askAlways(made, 'may it?', 'r');
    const seen = asks(made);
    made.registry.registerVoid('afterLLM', ({ origin }) => {
      if (origin.turn === 1) {
        off();
        askAlways(made, 'may it?', 'another rule');
      }
      if (origin.turn === 2) clock.advance(1_000);
    });
    await made.agent.run('go');
    expect(seen).toEqual(['request', 'request', 'request']);
    expect(ran).toHaveLength(3);
    made.registry.registerClaiming('toolPolicy', () => ({ deny: 'no' }));
  });

  it('is not kept for a guard without an id: another one may stand in its place', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo'), call('echo'), 'ok'], { tools: [tool], ...remembering({ args: 'any' }) });
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }));
    const seen = asks(made);
    const session = made.agent.session();
    await session.run('go');
    expect(seen).toEqual(['request', 'request']);
    expect([ran.length, session.grants()]).toEqual([2, []]);
  });

  it('that was revoked settles nothing any more', async () => {
    const made = kit([call('echo'), 'ok', call('echo'), 'ok'], {
      tools: [echo().tool],
      ...remembering({ args: 'any' }),
    });
    askAlways(made, 'may it?', 'r');
    const seen = asks(made);
    const session = made.agent.session();
    await session.run('go');
    const [grant] = session.grants();
    await session.revoke(grant!.id);
    expect(session.grants()).toEqual([]);
    await session.run('again');
    expect(seen).toEqual(['request', 'request']);
  });

  it('that is revoked between the answer and the execution loses: the call is asked about again', async () => {
    const { tool, ran } = echo();
    const made = kit([call('echo', { text: 'a' }), calls({ name: 'echo', args: { text: 'b' } }), 'ok'], {
      tools: [tool],
      ...remembering({ args: 'any' }),
    });
    const session = made.agent.session();
    let fires = 0;
    made.registry.registerClaiming(
      'toolPolicy',
      async () => {
        if (++fires === 3) {
          // the guards are asked about the second call: by the time they have answered, the grant is gone
          queueMicrotask(() => void session.revoke(session.grants()[0]!.id));
        }
        return { ask: 'may it?', rule: 'r' };
      },
      { id: 'asker' },
    );
    const seen = asks(made);
    await session.run('go');
    expect(ran).toHaveLength(2);
    expect(seen[0]).toBe('request');
  });
});

describe('a tool that has to wait', () => {
  const login = (bodies: unknown[]): Tool =>
    defineTool({
      name: 'login',
      description: 'logs in',
      input: z.object({}),
      execute: (_, { answer }) => {
        bodies.push(answer);
        if (answer === undefined)
          return pending({ kind: 'code', prompt: 'Which code?', url: 'https://example.org/code' });
        return answer.ok ? `logged in with ${JSON.stringify(answer.data)}` : `gave up: ${answer.reason}`;
      },
    });

  it('starts again from its beginning with the answer; its suspension is no failure and no result', async () => {
    const store = memoryStore();
    const bodies: unknown[] = [];
    const first = kit([call('login', {})], { tools: [login(bodies)], store });
    let amended = 0;
    first.registry.registerModifying('afterTool', () => void amended++);
    const result = await first.agent.session('s').run('go');
    expect(result.status).toBe('pending');
    expect(only(result)).toMatchObject({ kind: 'code', prompt: 'Which code?', url: 'https://example.org/code' });
    expect(amended).toBe(0);
    const second = anew(['in'], store, { tools: [login(bodies)] });
    const outputs: string[] = [];
    let guarded = 0;
    second.registry.registerClaiming('toolPolicy', () => void guarded++);
    second.registry.registerModifying('afterTool', ({ result: { output } }) => void outputs.push(output));
    const resumed = await second.agent.resume('s', yes(only(result), 4711));
    expect(resumed).toMatchObject({ status: 'done', text: 'in' });
    expect(outputs).toEqual(['logged in with 4711']);
    expect(guarded).toBe(1);
    expect(bodies).toEqual([undefined, { id: only(result).id, ok: true, data: 4711 }]);
  });

  it('is told a no as well', async () => {
    const bodies: unknown[] = [];
    const made = kit([call('login', {}), 'ok'], { tools: [login(bodies)] });
    const session = made.agent.session();
    const resumed = await session.resume(no(only(await session.run('go'))));
    expect(resumed.toolCalls).toMatchObject([{ outcome: 'ok', output: 'gave up: not today' }]);
  });

  it('for longer than its request is good goes on with a no, and leaves none open', async () => {
    const clock = manualClock();
    const store = memoryStore({ now: () => clock.date() });
    const late = tool('late', (_, { answer }) =>
      answer === undefined ? pending({ kind: 'choice', prompt: 'which?', expiresAt: 100 }) : `ok: ${answer.ok}`,
    );
    const { agent } = kit([call('late', {}), 'end'], { store, clock, tools: [late] });
    const session = agent.session('s');
    const request = only(await session.run('go'));
    expect(await store.list()).toMatchObject([{ pending: 1 }]);
    clock.advance(200);
    expect(await store.list()).toMatchObject([{ pending: 0 }]);
    expect(await session.resume()).toMatchObject({ status: 'done', toolCalls: [{ output: 'ok: false' }] });
    expect(await store.list()).toMatchObject([{ pending: 0 }]);
    await expect(session.resume(yes(request))).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
  });

  it('until a time between two ms waits until the later one', async () => {
    const clock = manualClock();
    const late = tool('late', () => pending({ kind: 'choice', prompt: 'which?', expiresAt: 99.5 }));
    const { agent } = kit([call('late', {}), 'end'], { clock, tools: [late] });
    expect(only(await agent.run('go')).expiresAt).toBe(100);
  });

  it.each([1e300, -1e300, Infinity, NaN, '99', 99n])('until %s, which is no date, gets an error result', async (at) => {
    const never = tool('never', () => pending({ kind: 'choice', prompt: 'which?', expiresAt: at as number }));
    const { toolCalls } = await kit([call('never', {}), 'ok'], { tools: [never] }).agent.run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('is no date') }]);
  });

  it('for something that is no request gets an error result', async () => {
    const bad = defineTool({
      name: 'bad',
      description: 'bad',
      input: z.object({}),
      execute: () => ({ pending: { prompt: 7 } }) as never,
    });
    const { toolCalls } = await kit([call('bad', {}), 'ok'], { tools: [bad] }).agent.run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('waits for') }]);
  });

  it('again and again is stopped', async () => {
    const made = kit([call('bad', {}), 'ok'], {
      tools: [
        defineTool({
          name: 'bad',
          description: 'bad',
          input: z.object({}),
          execute: () => pending({ kind: 'x', prompt: 'more?' }),
        }),
      ],
      answerer: { answer: ({ id }) => ({ id, ok: true }) },
    });
    const { toolCalls } = await made.agent.run('go');
    expect(toolCalls).toMatchObject([
      { outcome: 'error', output: expect.stringContaining('one answer after another') },
    ]);
  });
});

describe('a stage that makes a call wait', () => {
  it('lets it go on to the guards with a yes, and refuses it with a no', async () => {
    for (const isOk of [true, false]) {
      const store = memoryStore();
      const first = kit([call('echo')], { tools: [echo().tool], store });
      first.registry.registerModifying('beforeTool', () => ({
        result: pending({ kind: 'review', prompt: 'look at it' }),
      }));
      const request = only(await first.agent.session('s').run('go'));
      expect(request).toMatchObject({ kind: 'review' });
      const { tool, ran } = echo();
      const second = anew(['ok'], store, { tools: [tool] });
      let guarded = 0;
      second.registry.registerClaiming('toolPolicy', () => void guarded++);
      second.registry.registerModifying('beforeTool', () => ({ result: pending({ kind: 'review', prompt: 'again' }) }));
      const { status, toolCalls } = await second.agent.resume('s', isOk ? yes(request) : no(request));
      expect(status).toBe('done');
      expect([ran.length, guarded, toolCalls[0]!.outcome]).toEqual(isOk ? [1, 1, 'ok'] : [0, 0, 'denied']);
    }
  });
});

it('a compaction in a run that then waits is discarded, and every stage runs again when it goes on', async () => {
  const store = memoryStore();
  const first = kit([call('echo')], { tools: [echo().tool], store });
  const short = { role: 'user', content: [{ type: 'text', text: 'in short' }] } as const;
  first.registry.registerModifying('beforeLLM', () => ({ messages: [short] }));
  askAlways(first);
  const request = only(await first.agent.session('s').run('go'));
  const second = anew(['ok'], store, { tools: [echo().tool] });
  const { messages } = await second.agent.resume('s', yes(request));
  expect(messages.map(textOf).filter((text) => text !== '')).toEqual(['go', 'ok']);
});
