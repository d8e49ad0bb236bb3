import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import * as types from '@treblehook/types';
import {
  agentHooks,
  channelHooks,
  defineHooks,
  defineTool,
  type Catalogue,
  type HookEvents,
  type NamesOf,
} from '@treblehook/types';
import { z } from 'zod';
import { createRuntime } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { calls, echo, kit, registryWithGuard } from './kit.js';

type Fired = HookEvents['fired'];

const isOfKind = (value: unknown, kind: string): boolean =>
  kind === 'any' ||
  (kind === 'array' || kind === 'strings'
    ? Array.isArray(value)
    : kind === 'object'
      ? typeof value === 'object' && !Array.isArray(value)
      : typeof value === kind);

async function drive(): Promise<Fired[]> {
  const registry = registryWithGuard();
  const fired: Fired[] = [];
  registry.events.on('fired', (event) => fired.push(event));
  registry.registerModifying('beforeOutput', () => undefined); // without a handler output streams through
  const { tool } = echo();
  const edit = defineTool({
    name: 'edit',
    description: 'edits a file',
    input: z.object({ file: z.string() }),
    paths: ['file'],
    execute: () => 'edited',
  });
  const { agent } = kit([calls('echo', { name: 'edit', args: { file: 'a.txt' } }), 'done'], {
    registry,
    tools: [tool, edit],
    cwd: '/work',
    personality: { id: 'tester', system: 'Test.' },
  });
  await agent.run('go', { job: { class: 'test' } });
  await agent.close();
  return fired;
}

/** A run in which a handler asks the model. */
async function side(fired: Fired[]): Promise<void> {
  const registry = registryWithGuard();
  registry.events.on('fired', (event) => fired.push(event));
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'in short?' }] }];
  registry.registerVoid('messageReceived', async (_, { callModel }) => void (await callModel!({ messages }, 'title')));
  await kit(['a title', 'done'], { registry }).agent.run('go');
}

/** What fires between two runs. */
async function driveSwitch(): Promise<Fired[]> {
  const registry = registryWithGuard();
  const fired: Fired[] = [];
  registry.events.on('fired', (event) => fired.push(event));
  const personalities = [{ id: 'tester' }];
  const { agent } = kit(['one', 'two'], { registry, personality: { id: 'first' }, personalities });
  const session = agent.session();
  await session.run('go');
  await session.switchPersonality('tester');
  await session.run('go on');
  await agent.close();
  return fired;
}

/** What fires around the run of a child. */
async function driveTask(): Promise<Fired[]> {
  const registry = registryWithGuard();
  const fired: Fired[] = [];
  registry.events.on('fired', (event) => fired.push(event));
  const runtime = createRuntime({
    registry,
    agents: {
      agent: {
        model: scriptedModel([calls({ name: 'task', args: { agent: 'child', prompt: 'do it' } }), 'done']),
        agents: ['child'],
        personality: { id: 'tester' },
      },
      child: { model: scriptedModel(['done']), personality: { id: 'tester' } },
    },
  });
  await runtime.agent('agent').run('go');
  await runtime.shutdown();
  return fired;
}

const whole = defineHooks(agentHooks, channelHooks);

/** A message that is sent, and one that its channel cannot send. */
async function driveChannels(): Promise<Fired[]> {
  const registry = createHookRegistry(whole);
  const fired: Fired[] = [];
  registry.events.on('fired', (event) => fired.push(event));
  let count = 0;
  const runtime = createRuntime({
    registry,
    agents: { agent: { model: scriptedModel(['one', 'two']), personality: { id: 'tester' } } },
    channels: [
      {
        platform: 'wire',
        send() {
          if (count++ > 0) throw new Error('gone');
          return { messageId: 'm1' };
        },
      },
    ],
  });
  for (const text of ['1', '2']) await runtime.receive({ platform: 'wire', chatId: 'c', text });
  return fired;
}

/** Of every catalogue that the contracts export. */
const points: Catalogue = whole;

it('no catalogue of the contracts is left out', () => {
  const isPoint = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'discipline' in one && 'model' in one;
  const isCatalogue = (one: unknown): one is Catalogue =>
    typeof one === 'object' && one !== null && Object.values(one).length > 0 && Object.values(one).every(isPoint);
  const exported = Object.values(types).filter(isCatalogue);
  expect(exported).toHaveLength(2);
  expect(exported.flatMap((one) => Object.keys(one)).toSorted()).toEqual(Object.keys(points).toSorted());
});

// https://github.com/openclaw/openclaw/issues/26422, https://github.com/openclaw/openclaw/pull/40781
describe('every declared point', () => {
  /** A point that a tenant fires by `ctx.fire` is not the loop's. */
  const names = (Object.keys(points) as NamesOf<typeof whole>[]).filter((name) => points[name]!.firedBy === undefined);

  it('is fired by the loop, with every field that it promises, of the kind that it promises', async () => {
    const fired = [...(await drive()), ...(await driveTask()), ...(await driveSwitch()), ...(await driveChannels())];
    for (const name of names) {
      const payloads = fired
        .filter(({ hook }) => hook === name)
        .map(({ payload }) => payload as Record<string, unknown>);
      expect(payloads.length, `${name} has no fire`).toBeGreaterThan(0);
      const fields: Readonly<Record<string, string>> = points[name]!.fields!;
      for (const payload of payloads) {
        for (const [field, kind] of Object.entries(fields)) {
          const value = payload[field];
          if (value === undefined && kind.endsWith('?')) continue;
          expect(isOfKind(value, kind.replace('?', '')), `${name}.${field} is no ${kind}`).toBe(true);
        }
        expect(
          Object.keys(payload).filter((field) => !(field in fields)),
          `${name} has undeclared fields`,
        ).toEqual([]);
      }
    }
  });

  it('shows each optional field at least once over an answered, a failed and a vetoed run, and a call of a handler', async () => {
    const fired = [...(await drive()), ...(await driveChannels())];
    const more = async (script: Parameters<typeof kit>[0], veto?: string): Promise<void> => {
      const registry = registryWithGuard();
      registry.events.on('fired', (event) => fired.push(event));
      if (veto !== undefined) registry.registerModifying('beforeLLM', () => ({ veto }));
      await kit(script, { registry, limits: { steps: 1 }, tools: [echo().tool] }).agent.run('go', {
        job: { class: 'x' },
      });
    };
    await more([new Error('no')]);
    await more(['never'], 'not now');
    await more([calls('echo')]);
    await side(fired);
    for (const name of names) {
      for (const [field, kind] of Object.entries(points[name]!.fields!)) {
        if (!kind.endsWith('?')) continue;
        const seen = fired.some(
          ({ hook, payload }) => hook === name && (payload as Record<string, unknown>)[field] !== undefined,
        );
        expect(seen, `${name}.${field} was never given`).toBe(true);
      }
    }
  });

  it('says where it comes from: the run, the session, the agent, the personality, the turn', async () => {
    for (const { hook, payload } of await drive()) {
      expect((payload as { origin: unknown }).origin, hook).toEqual({
        runId: expect.stringMatching(/^run_/),
        sessionId: expect.stringMatching(/^session_/),
        agentPath: ['agent'],
        personality: 'tester',
        turn: expect.any(Number),
      });
    }
  });

  it('is fired between two runs: whoever is told then is told of the personality that follows', async () => {
    const fired = (await driveSwitch()).filter(({ hook }) => /^(session|personality|beforeInput|agentDone)/.test(hook));
    expect(
      fired.map(({ hook, payload }) => [(payload as { origin: { personality: string } }).origin.personality, hook]),
    ).toEqual([
      ['first', 'sessionStart'],
      ['first', 'beforeInput'],
      ['first', 'agentDone'],
      ['tester', 'personalitySwitched'],
      ['tester', 'beforeInput'],
      ['tester', 'agentDone'],
      ['tester', 'sessionEnd'],
    ]);
  });

  it('is fired in the order of a task: the child’s between those of its parent', async () => {
    const fired = await driveTask();
    const ofTask = fired.filter(({ hook }) => /^(subagent|toolPolicy|afterTool|session|agentDone)/.test(hook));
    const path = ({ payload }: Fired): string =>
      (payload as { origin: { agentPath: string[] } }).origin.agentPath.join('/');
    expect(ofTask.map((one) => `${path(one)} ${one.hook}`)).toEqual([
      'agent sessionStart',
      'agent toolPolicy',
      'agent subagentSpawning',
      'agent subagentSpawned',
      'agent/child sessionStart',
      'agent/child agentDone',
      'agent/child sessionEnd',
      'agent subagentEnded',
      'agent afterTool',
      'agent agentDone',
      'agent sessionEnd',
    ]);
  });

  it('is fired in the order of the turn', async () => {
    const fired = await drive();
    expect(fired.map(({ hook }) => hook)).toEqual([
      'sessionStart',
      'beforeInput',
      'messageReceived',
      'beforePromptBuild',
      'beforeLLM',
      'llmRequest',
      'afterLLM',
      'beforeTool',
      'toolPolicy',
      'afterTool',
      'toolEnd',
      'beforeTool',
      'toolPolicy',
      'afterTool',
      'toolEnd',
      'toolEndWithPath',
      'beforeLLM',
      'llmRequest',
      'beforeOutput',
      'afterLLM',
      'beforeFinish',
      'agentDone',
      'sessionEnd',
    ]);
  });
});
