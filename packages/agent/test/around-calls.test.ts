// Around a tool call: what a wrapper gives is a proposal, and the guards are asked whatever it does.
import { isHookError, pending, type JsonValue } from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAgent, toolCallSteps, type Around, type ToolCallDone } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { faultOf, said, wrapped } from './around-kit.js';
import { call, calls, collect, echo, kit, registryWithGuard } from './kit.js';
import { tool } from './watched.js';

const fake: Around = { toolCall: () => ({ result: 'all is well' }) };
const after = (result: string): Around => ({
  async toolCall(_, core) {
    await core();
    return { result };
  },
});
afterEach(() => void vi.restoreAllMocks());

describe('around', () => {
  it.each<[unknown, RegExp]>([
    [{ toolCal: () => undefined }, /'toolCal' is no key of around: did you mean 'toolCall'/],
    [[{ turn: () => undefined }], /around is a list/],
    [{ turn: 1 }, /around\.turn must be a function/],
    [null, /around must be an object: toolCall, llmCall, turn/],
    ['turn', /around must be an object/],
  ])('like %j is refused with what would be right', (around, why) => {
    const make = (): unknown =>
      createAgent({ model: scriptedModel([]), registry: registryWithGuard(), around: around as Around });
    expect(make).toThrow(expect.objectContaining({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(why) }));
  });

  it('is described by its kinds, and read once', async () => {
    const around: Around = { toolCall: (_, core) => core() };
    const { agent, run } = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    around.toolCall = () => ({ result: 'put there later' });
    expect(agent.describe().around).toEqual(['toolCall']);
    expect((await run()).toolCalls).toMatchObject([{ output: 'said hi' }]);
    expect(wrapped([], {}).agent.describe().around).toEqual([]);
    expect(wrapped([], undefined).agent.describe().around).toEqual([]);
  });

  it('keeps its own this, and may be an instance of a class', async () => {
    class Counting {
      seen = 0;
      readonly own = 'state';
      toolCall(_: unknown, core: () => Promise<ToolCallDone>): Promise<ToolCallDone> {
        this.seen++;
        return core();
      }
    }
    const around = new Counting();
    await wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] }).run();
    expect(around.seen).toBe(1);
  });
});

describe('a wrapped tool call', () => {
  it('has its steps in this order, and one toolEnd behind its wrapper', async () => {
    const order: string[] = [];
    const told: unknown[] = [];
    const around: Around = {
      async toolCall(event, core) {
        order.push('around');
        told.push(event);
        const done = await core();
        order.push(`core ${done.outcome}`);
        told.push(done);
        return undefined;
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [tool('echo', () => (order.push('execute'), 'raw'))] });
    made.registry.registerModifying('beforeTool', () => void order.push('beforeTool'));
    made.registry.registerClaiming('toolPolicy', () => void order.push('toolPolicy'));
    made.registry.registerModifying(
      'afterTool',
      () => (order.push('afterTool'), { result: { output: 'seen', isError: false } }),
    );
    made.registry.registerVoid('toolEnd', () => void order.push('toolEnd'));
    await made.run();
    expect(toolCallSteps.filter((step) => step !== 'seal' && step !== 'answerer')).toEqual(
      order.filter((step) => step !== 'core ok'),
    );
    expect(toolCallSteps.filter((step) => step !== 'seal' && step !== 'answerer')).toEqual(
      order.filter((step) => step !== 'core ok'),
    );
    expect(order).toEqual(['around', 'beforeTool', 'toolPolicy', 'execute', 'afterTool', 'core ok', 'toolEnd']);
    expect(told).toMatchObject([
      { name: 'echo', args: { text: 'hi' }, attempt: 1, isTakenUp: false, origin: { turn: 0 }, batch: { size: 1 } },
      { outcome: 'ok', result: { output: 'seen', isError: false } },
    ]);
    expect(told.map((one) => Object.isFrozen(one))).toEqual([true, true]);
    expect(made.ends).toHaveLength(1);
  });

  it.each<[string, Around]>([
    ['without its core', fake],
    ['behind its core', after('all is well')],
  ])('that a guard denies stays denied when its wrapper proposes success %s', async (_, around) => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'oh'], around, { tools: [danger] });
    made.registry.registerClaiming('toolPolicy', () => ({ deny: 'never' }), { id: 'policy' });
    const { toolCalls } = await made.run();
    expect(toolCalls).toMatchObject([{ outcome: 'denied', isError: true, output: "denied by 'policy': never" }]);
    expect(ran).toEqual([]);
    expect(made.ends.map(({ record }) => [record.decision, record.by])).toEqual([['deny', 'policy']]);
  });

  it.each<[string, Around]>([
    ['without its core', fake],
    ['behind its core', after('all is well')],
  ])('that a stage refuses stays refused when its wrapper proposes success %s', async (_, around) => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'oh'], around, { tools: [danger] });
    made.registry.registerModifying('beforeTool', () => ({ error: 'not at noon' }), { id: 'lunch' });
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'denied', output: "refused by 'lunch': not at noon" },
    ]);
    expect(ran).toEqual([]);
  });

  it.each<[string, Around]>([
    ['without its core', fake],
    ['behind its core', after('all is well')],
  ])('that a guard asks about waits when its wrapper proposes success %s', async (_, around) => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'oh'], around, { tools: [danger] });
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?' }), { id: 'asker' });
    const result = await made.run();
    expect(result).toMatchObject({ status: 'pending', toolCalls: [], pending: [{ prompt: 'echo: sure?' }] });
    expect([ran, made.order]).toEqual([[], ['toolEnd suspended']]);
  });

  it.each<[string, Around]>([
    ['without its core', fake],
    ['behind its core', after('all is well')],
  ])(
    'that no tool answers to, or whose arguments fit none, stays an error when success is proposed %s',
    async (_, around) => {
      const made = wrapped([calls('nope', { name: 'echo', args: {} }, { name: 'echo', args: '{' }), 'oh'], around, {
        tools: [echo().tool],
      });
      const { toolCalls } = await made.run();
      expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error']);
      expect(toolCalls.map(({ output }) => output)).toEqual([
        expect.stringContaining('unknown-tool'),
        expect.stringContaining('do not fit its schema'),
        expect.stringContaining('are no JSON'),
      ]);
      expect(made.ends).toHaveLength(3);
    },
  );

  it('that is cleared takes a proposal as its result without its body: sealed, guarded, amended, recorded by around', async () => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'ok'], fake, { tools: [danger] });
    const asked: unknown[] = [];
    made.registry.registerModifying('beforeTool', () => ({ args: { text: 'rewritten' } }));
    made.registry.registerClaiming('toolPolicy', ({ args, supplied }) => void asked.push([args, supplied]));
    made.registry.registerModifying('afterTool', ({ result }) => ({
      result: { ...result, output: `${result.output}!` },
    }));
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'ok', args: { text: 'rewritten' }, output: 'all is well!' },
    ]);
    expect([asked, ran]).toEqual([[[{ text: 'rewritten' }, true]], []]);
    expect(made.ends[0]!.record).toMatchObject({ by: 'around', decision: 'clear', outcome: 'ok' });
    expect((await made.log()).map(({ type }) => type)).not.toContain('started');
  });

  it('whose result is replaced is recorded so: by whom, and the digest of what the body gave', async () => {
    const { tool: danger, ran } = echo();
    const plain = wrapped([call('echo'), 'ok'], undefined, { tools: [danger] });
    await plain.run();
    const around: Around = {
      async toolCall(_, core) {
        await core();
        return { result: { output: 'another', isError: true }, by: 'redact' };
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'error', isError: true, output: 'another' }]);
    expect(ran).toHaveLength(2);
    const { record } = made.ends[0]!;
    expect(record).toMatchObject({
      by: 'around/redact',
      outcome: 'error',
      reason: "'around/redact' has replaced its result",
    });
    expect(record.rawDigest).toBe(plain.ends[0]!.record.rawDigest);
    expect(JSON.stringify([made.ends, await made.log(), made.session.messages()])).not.toContain('said hi');
  });

  it('is not replaced by what core gave, given as it is or as a copy', async () => {
    for (const copy of [(done: ToolCallDone) => done, (done: ToolCallDone) => structuredClone({ ...done })]) {
      const around: Around = { toolCall: async (_, core) => copy(await core()) };
      const made = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
      expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'ok', output: 'said hi' }]);
      expect(made.ends[0]!.record).not.toHaveProperty('by');
    }
  });

  it('that a body has not settled by itself cannot be made to end as cancelled or otherwise', async () => {
    const around: Around = { toolCall: async (_, core) => ({ ...(await core()), outcome: 'cancelled' as const }) };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'ok' }]);
  });

  it('that its tool makes wait stays so, and core says it', async () => {
    const seen: ToolCallDone[] = [];
    const around: Around = {
      async toolCall(_, core) {
        seen.push(await core());
        seen.push((await faultOf(core())) as never);
        return { result: 'all is well' };
      },
    };
    const made = wrapped([call('wait', {}), 'ok'], around, {
      tools: [tool('wait', () => pending({ kind: 'input', prompt: 'which one?' }))],
    });
    expect(await made.run()).toMatchObject({ status: 'pending' });
    expect(seen).toMatchObject([
      { outcome: 'suspended', result: { isError: false } },
      { code: 'TH_CORE_REFUSED', message: expect.stringContaining('the call waits for an answer') },
    ]);
  });

  it('goes with rewritten arguments through schema, beforeTool, seal and guards as if the model had given them', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = { toolCall: (_, core) => core({ args: { text: 'mine' } }) };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    const seen: unknown[] = [];
    made.registry.registerModifying('beforeTool', ({ args }) => {
      seen.push(args);
      return { args: { text: `${said(args)} and more` } };
    });
    const { toolCalls } = await made.run();
    expect(toolCalls).toMatchObject([{ args: { text: 'mine and more' }, output: 'said mine and more' }]);
    expect([seen, ran]).toEqual([[{ text: 'mine' }], [{ text: 'mine and more' }]]);
  });

  it.each<[string, JsonValue, object]>([
    ['a guard forbids', { text: 'forbidden' }, { outcome: 'denied', output: "denied by 'policy': no" }],
    [
      'do not fit the schema',
      { txt: 1 },
      { outcome: 'error', output: expect.stringContaining('do not fit its schema') },
    ],
  ])('with rewritten arguments that %s does not run', async (_, args, end) => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'ok'], { toolCall: (__, core) => core({ args }) }, { tools: [danger] });
    made.registry.registerClaiming(
      'toolPolicy',
      (one) => (said(one.args) === 'forbidden' ? { deny: 'no' } : undefined),
      {
        id: 'policy',
      },
    );
    expect((await made.run()).toolCalls).toMatchObject([end]);
    expect(ran).toEqual([]);
  });

  it('whose arguments could not be read can be given others', async () => {
    const around: Around = { toolCall: (_, core) => core({ args: { text: 'mended' } }) };
    const made = wrapped([call('echo', '{'), 'ok'], around, { tools: [echo().tool] });
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'ok', output: 'said mended' }]);
  });

  it.each<[string, unknown, string]>([
    ['a key that is none', { arg: {} }, 'TH_OPTION_INVALID'],
    ['no object', 'text', 'TH_OPTION_INVALID'],
    ['arguments that cannot be sealed', { args: { at: new Date(0) } }, 'TH_ARGS_INVALID'],
  ])('runs nothing when core is given %s', async (_, changed, code) => {
    const { tool: danger, ran } = echo();
    let fault: unknown;
    const around: Around = {
      async toolCall(__, core) {
        fault = await faultOf(core(changed as never));
        throw fault;
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'error', output: expect.stringContaining("'around'") },
    ]);
    expect(fault).toMatchObject({ code });
    expect(ran).toEqual([]);
  });

  // https://github.com/anthropics/claude-code/issues/91870
  it.each<[string, unknown]>([
    ['nothing, without its core', undefined],
    ['a key that is none', { results: 'x' }],
    ['a bare text', 'x'],
    ['a bare result', { output: 'x', isError: false }],
    ['a proposer without a name', { result: 'x', by: '' }],
  ])('whose wrapper gives %s is an error that names around', async (_, given) => {
    const { tool: danger, ran } = echo();
    const made = wrapped([call('echo'), 'ok'], { toolCall: () => given as never }, { tools: [danger] });
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'error', output: "'around' failed on the call of 'echo': the call was not run" },
    ]);
    expect([ran, made.ends[0]!.record]).toMatchObject([[], { by: 'around', decision: undefined, digest: undefined }]);
  });

  it('whose wrapper throws in front of its core is an error that names around; siblings go on', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = {
      toolCall(event, core) {
        if (said(event.args) === 'b') throw new Error('secret');
        return core();
      },
    };
    const made = wrapped([calls(...['a', 'b', 'c'].map((text) => ({ name: 'echo', args: { text } }))), 'ok'], around, {
      tools: [danger],
    });
    const { toolCalls, status } = await made.run();
    expect([status, toolCalls.map(({ outcome }) => outcome), ran.map(said)]).toEqual([
      'done',
      ['ok', 'error', 'ok'],
      ['a', 'c'],
    ]);
    expect(toolCalls[1]!.output).not.toContain('secret');
    expect(made.ends[1]!.record).toMatchObject({ by: 'around', reason: 'secret' });
  });

  it('whose wrapper throws behind a body that has run says so, and withholds its result', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = {
      async toolCall(_, core) {
        await core();
        throw new Error('broken');
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'error', output: "'around' failed on the call of 'echo': the tool has run, its result is withheld" },
    ]);
    expect(ran).toHaveLength(1);
    expect(made.ends[0]!.record).toMatchObject({ by: 'around', reason: 'broken', decision: 'clear' });
    expect(made.ends[0]!.record.rawDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('that was denied stays denied when its wrapper throws, and the throw is told', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const around: Around = {
      async toolCall(_, core) {
        await core();
        throw new Error('broken');
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    made.registry.registerClaiming('toolPolicy', () => ({ deny: 'never' }), { id: 'policy' });
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/around\.toolCall failed on the call of 'echo', which stays denied: broken/),
      { type: 'TreblehookWarning', code: 'TH_AROUND_FAILED' },
    );
  });

  it('refuses a second core while the first runs, a late one, and one behind the run', async () => {
    const { tool: danger, ran } = echo();
    const faults: unknown[] = [];
    let kept: (() => Promise<ToolCallDone>) | undefined;
    const around: Around = {
      async toolCall(_, core) {
        kept = core;
        const first = core();
        faults.push(await faultOf(core()));
        await first;
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    made.registry.registerVoid('toolEnd', async () => void faults.push(await faultOf(kept!())));
    await made.run();
    faults.push(await faultOf(kept!()));
    expect(faults.map((fault) => isHookError(fault) && `${fault.code} ${fault.message}`)).toEqual([
      expect.stringMatching(/TH_CORE_REFUSED .*an earlier call of it is not over/),
      expect.stringMatching(/TH_CORE_REFUSED .*the wrapper is over/),
      expect.stringMatching(/TH_CORE_REFUSED .*the wrapper is over/),
    ]);
    expect(ran).toHaveLength(1);
  });

  it('whose wrapper does not wait for the core that it has called ends as the core did', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = {
      toolCall(_, core) {
        void core();
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'ok', output: 'said hi' }]);
    expect([ran.length, made.ends.length]).toEqual([1, 1]);
  });

  it('that a body makes is wrapped too, with one end for each', async () => {
    const seen: string[] = [];
    const around: Around = {
      async toolCall({ name }, core) {
        seen.push(name);
        const { outcome } = await core();
        seen.push(`${name} ${outcome}`);
      },
    };
    const outer = tool('outer', async (_, ctx) => (await ctx.callTool('echo', { text: 'inner' })).output);
    const made = wrapped([call('outer', {}), 'ok'], around, { tools: [outer, echo().tool] });
    expect((await made.run()).toolCalls.map(({ output }) => output)).toEqual(['said inner', 'said inner']);
    expect(seen).toEqual(['outer', 'echo', 'echo ok', 'outer ok']);
    expect(made.ends.map(({ name }) => name)).toEqual(['echo', 'outer']);
  });

  it('streams as it runs: the same events, the same order, the same records', async () => {
    const around: Around = {
      async toolCall(event, core) {
        await core({ args: { text: `${said(event.args)}!` } });
        return { result: 'replaced' };
      },
    };
    const streamed = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    const { events, result } = await collect(streamed.session.stream('go'));
    const ran = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    const other = await ran.run();
    const plain = (made: typeof ran): unknown =>
      made.ends.map(({ outcome, result, record }) => [outcome, result, { ...record, callId: '', guardMs: 0 }]);
    expect(plain(streamed)).toEqual(plain(ran));
    expect([result.text, result.status]).toEqual([other.text, other.status]);
    expect(events.filter(({ type }) => type.startsWith('tool')).map(({ type }) => type)).toEqual([
      'tool-call',
      'tool-end',
    ]);
  });
});

it('a result that a stage of afterTool has withheld stays withheld, whatever a wrapper proposes', async () => {
  const registry = registryWithGuard();
  registry.registerModifying(
    'afterTool',
    () => {
      throw new Error('no');
    },
    { id: 'redactor', onError: 'abort' },
  );
  const { tool } = echo();
  const around = {
    async toolCall(_: unknown, core: () => Promise<unknown>) {
      await core();
      return { result: 'a success' };
    },
  };
  const { toolCalls } = await kit([call('echo'), 'end'], { registry, tools: [tool], around }).agent.run('go');
  expect(toolCalls[0]).toMatchObject({
    isError: true,
    output: "the hook 'redactor' failed on afterTool: the tool has run, its result is withheld",
  });
});
