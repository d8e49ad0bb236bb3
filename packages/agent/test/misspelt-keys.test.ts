// A misspelt key deep in an amendment: refused whole and named, never passed over.
import type { HookError, Message } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { call, echo, kit, registryWithGuard, textOf } from './kit.js';

const said = (extra: object, inPart: object = {}): Message => ({
  role: 'user',
  content: [{ type: 'text', text: 'added', ...inPart }],
  ...extra,
});

/** Runs with one stage; gives what was refused. */
async function refused(register: (registry: ReturnType<typeof registryWithGuard>) => void) {
  const registry = registryWithGuard();
  const faults: HookError[] = [];
  registry.events.on('amendmentRefused', ({ error }) => faults.push(error));
  register(registry);
  const result = await kit([call('echo'), 'done'], { registry, tools: [echo().tool] }).agent.run('go');
  return { faults: faults.map(({ message }) => message), result };
}

describe('a misspelt key', () => {
  it('of a result refuses it: a redactor that is a gate withholds the result', async () => {
    const { faults, result } = await refused((registry) =>
      registry.registerModifying(
        'afterTool',
        ({ result: given }) => ({ result: { ...given, ouput: '[address]' } }) as never,
        { id: 'redact', onError: 'abort' },
      ),
    );
    expect(result.toolCalls[0]).toMatchObject({ outcome: 'error', output: expect.stringContaining("'redact' failed") });
    expect(result.toolCalls[0]!.output).not.toContain('said hi');
    expect(faults).toEqual([expect.stringContaining("unknown key 'ouput': did you mean 'output'?")]);
  });

  it('of a supplied result refuses it, and the body runs', async () => {
    const { faults, result } = await refused((registry) =>
      registry.registerModifying(
        'beforeTool',
        () => ({ result: { output: 'x', isError: true, isEror: true } }) as never,
      ),
    );
    expect(faults).toEqual([expect.stringContaining("unknown key 'isEror': did you mean 'isError'?")]);
    expect(result.toolCalls[0]).toMatchObject({ output: 'said hi' });
  });

  it.each<[string, object, object, RegExp]>([
    ['a message', { pined: true }, {}, /a message has the unknown key 'pined': did you mean 'pinned'/],
    ['a part', {}, { cache: 'y' }, /a text part has the unknown key 'cache': keys are type, text/],
  ])('of %s that is added or injected refuses the amendment', async (_, extra, inPart, what) => {
    for (const key of ['messages', 'inject'] as const) {
      const { faults, result } = await refused((registry) =>
        registry.registerModifying('beforeLLM', ({ messages }) => {
          const message = said(extra, inPart);
          return key === 'inject' ? { inject: [message] } : { messages: [...messages, message] };
        }),
      );
      expect(faults[0]).toMatch(what);
      expect(result.messages.map(textOf)).not.toContain('added');
    }
  });

  it('that the history had already is not the fault of a stage that copies it', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeLLM', ({ messages }) => ({
      messages: messages.map((message) => ({ ...message })),
    }));
    const { agent } = kit(['done'], { registry });
    const session = agent.session({ messages: [{ ...said({ vendor: 1 }) }] });
    expect(await session.run('go')).toMatchObject({ status: 'done' });
  });
});
