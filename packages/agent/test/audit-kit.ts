/** Honest logs of several kinds of run, for the laws of the audit: a run that asks, edits, remembers, waits, tries anew. */
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  pending,
  type Answer,
  type JsonValue,
  type Request,
  type StoredRecord,
} from '@treblehook/types';
import { z } from 'zod';
import { memoryStore, type Agent, type AgentOptions } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard } from './kit.js';

type Store = ReturnType<typeof memoryStore>;

export interface Kind {
  readonly script: readonly ScriptedStep[];
  /** Made anew for each process. */
  readonly options: () => Omit<Partial<AgentOptions>, 'model' | 'store'>;
}

const registry = (ask: object = { ask: 'may it?', rule: 'r' }) => {
  const made = createHookRegistry(agentHooks);
  made.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  made.registerClaiming('toolPolicy', () => ask as never, { id: 'asker' });
  return made;
};
const answerer = (data?: JsonValue) => ({
  answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: true, ...(data !== undefined && { data }) }),
});
const trims = defineTool({
  name: 'echo',
  description: 'says it back without white space',
  input: z.object({ text: z.string().trim() }),
  execute: ({ text }) => text,
});
const waits = defineTool({
  name: 'waits',
  description: 'waits once',
  input: z.object({}),
  execute: (_, { answer }) => (answer === undefined ? pending({ kind: 'question', prompt: 'which?' }) : 'so'),
});
const outer = defineTool({
  name: 'outer',
  description: 'calls another one',
  input: z.object({}),
  execute: async (_, { callTool }) => (await callTool('echo', { text: 'x' })).output,
});

export const kinds: Readonly<Record<string, Kind>> = {
  'is approved': {
    script: [call('echo')],
    options: () => ({ registry: registry(), tools: [echo().tool], answerer: answerer() }),
  },
  'is approved by two guards at once': {
    script: [call('echo')],
    options() {
      const made = registry();
      made.registerClaiming('toolPolicy', () => ({ ask: 'and this?' }), { id: 'second' });
      return { registry: made, tools: [echo().tool], answerer: answerer() };
    },
  },
  'is remembered for any arguments up to a date': {
    script: [call('echo'), call('echo', { text: 'other' })],
    options: () => ({
      registry: registry({ ask: 'may it?' }),
      tools: [echo().tool],
      answerer: answerer({ remember: { for: 'session', args: 'any', until: 9e12 } }),
    }),
  },
  'is remembered for the same arguments': {
    script: [call('echo'), call('echo')],
    options: () => ({
      registry: registry(),
      tools: [echo().tool],
      answerer: answerer({ remember: { for: 'session' } }),
    }),
  },
  'is edited': {
    script: [call('echo')],
    options: () => ({
      registry: registry(),
      tools: [echo().tool],
      answerer: answerer({ args: { text: 'other' }, remember: { for: 'session' } }),
    }),
  },
  'is edited, and its schema trims that': {
    script: [call('echo')],
    options: () => ({ registry: registry(), tools: [trims], answerer: answerer({ args: { text: ' other ' } }) }),
  },
  'waits in its body, and makes a call of its own': {
    script: [calls({ name: 'waits', args: {} }, { name: 'outer', args: {} })],
    options: () => ({ registry: registry(), tools: [waits, outer, echo().tool], answerer: answerer() }),
  },
  'is held by a stage': {
    script: [call('echo')],
    options() {
      const made = registryWithGuard();
      made.registerModifying('beforeTool', () => ({ result: pending({ kind: 'question', prompt: 'now?' }) }), {
        id: 'holder',
      });
      return { registry: made, tools: [echo().tool], answerer: answerer() };
    },
  },
  'is given its result by a stage': {
    script: [call('echo')],
    options() {
      const made = registry();
      made.registerModifying('beforeTool', () => ({ result: { output: 'cached', isError: false } }), { id: 'cache' });
      return { registry: made, tools: [echo().tool], answerer: answerer() };
    },
  },
  'is attempted anew with amended arguments': {
    script: [call('echo')],
    options() {
      const made = registry();
      made.registerModifying('beforeTool', () => ({ args: { text: 'amended' } }), { id: 'amends' });
      const around: AgentOptions['around'] = {
        async toolCall(_, core) {
          await core();
          await core();
          return undefined;
        },
      };
      return { registry: made, tools: [echo().tool], answerer: answerer(), around };
    },
  },
};

const agentOf = ({ script, options }: Kind, store: Store, after = 0): Agent =>
  kit([...script, 'done', 'on'].slice(after), { ...options(), store }).agent;

export async function logOf(kind: Kind): Promise<readonly StoredRecord[]> {
  const store = memoryStore();
  await agentOf(kind, store).session('s').run('go');
  return store.read('s');
}

/** The log of a run whose process has died behind `count` records, and with which another one goes on. */
export async function goneOn(
  kind: Kind,
  honest: readonly StoredRecord[],
  count: number,
  how: 'resume' | 'run',
): Promise<readonly StoredRecord[]> {
  const store = memoryStore();
  const lease = await store.acquire('s', 'dead', 1000);
  if (!('fence' in lease)) throw new Error('a new session is free');
  for (const { record } of honest.slice(0, count)) {
    if (record.type === 'answered') await store.settle('s', record.answer);
    else await store.append(lease, [record]);
  }
  await store.release(lease);
  const answered = honest.slice(0, count).filter(({ record }) => record.type === 'answer').length;
  const session = agentOf(kind, store, answered).session('s');
  await (how === 'resume' ? session.resume() : session.run('something else'));
  return store.read('s');
}
