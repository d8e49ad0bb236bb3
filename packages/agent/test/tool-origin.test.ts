import { describe, expect, it } from 'vitest';
import type { GuardedTool, Tool, ToolAnnotations } from '@treblehook/types';
import { RegisteredTool } from '../src/door/registered-tool.js';
import { call, echo, kit } from './kit.js';

const of = (more: object): RegisteredTool => new RegisteredTool({ ...echo().tool, ...more } as Tool);
const server = { name: 'mcp:files/echo', source: 'mcp:files' } as const;

/** What the guard of an agent with this tool is shown of it. */
async function shown(more: Partial<Tool>): Promise<GuardedTool> {
  const tool: Tool = { ...echo().tool, ...more };
  const { agent, registry } = kit(
    [({ tools = [] }) => ({ calls: [{ name: tools[0]!.name, args: { text: 'a' } }] }), 'ok'],
    { tools: [tool] },
  );
  const seen: GuardedTool[] = [];
  registry.registerClaiming('toolPolicy', (sealed) => void seen.push(sealed.tool));
  await agent.run('go');
  expect(seen).toHaveLength(1);
  expect(agent.describe().tools[0]).toMatchObject(seen[0]!);
  return seen[0]!;
}

describe('the annotations of a tool', () => {
  it('reach the guards, frozen', async () => {
    const annotations: ToolAnnotations = { title: 'Echo', readOnlyHint: true, openWorldHint: false };
    const seen = await shown({ annotations });
    expect(seen.annotations).toEqual(annotations);
    expect(Object.isFrozen(seen.annotations)).toBe(true);
  });

  it('are absent where none are set: the guards see what they saw before', async () => {
    for (const annotations of [undefined, {}, { title: undefined }]) {
      expect(Object.keys(await shown({ annotations } as Partial<Tool>)).toSorted()).toEqual([
        'digest',
        'name',
        'source',
      ]);
    }
  });

  it('are part of the definition: with others it is another tool', () => {
    const digests = [{}, { annotations: { readOnlyHint: true } }, { annotations: { readOnlyHint: false } }].map(
      (more) => of(more).identity.digest,
    );
    expect(new Set(digests).size).toBe(3);
    expect(of({ annotations: {} }).identity.digest).toBe(digests[0]);
  });

  it('loosen nothing: a tool that says it changes nothing runs alone all the same', () => {
    expect(of({ annotations: { readOnlyHint: true } }).isSafe({})).toBe(false);
  });

  it.each([
    ['no object', 'yes', /annotations must be an object/],
    ['a key that nobody knows', { readonlyHint: true }, /annotations has 'readonlyHint': it takes title, readOnlyHint/],
    ['a hint that is no boolean', { readOnlyHint: 'yes' }, /annotations.readOnlyHint must be a boolean/],
    ['a title that is no text', { title: 1 }, /annotations.title must be a string/],
  ])('cannot be %s', (_, annotations, message) => {
    expect(() => of({ annotations })).toThrow(expect.objectContaining({ code: 'TH_TOOL_INVALID' }));
    expect(() => of({ annotations })).toThrow(message);
  });
});

describe('the source of a tool', () => {
  it('is the host, unless the definition names a server', async () => {
    expect((await shown({})).source).toBe('host');
    expect(await shown(server)).toMatchObject({ source: 'mcp:files', name: 'mcp:files/echo' });
  });

  it.each([
    ['host', 'host'],
    ['plugin:Acme', 'plugin:Acme'],
    ['mcp:', 'mcp:'],
    ['mcp:a/b', 'mcp:a/b'],
    ['5', 5],
  ])('cannot be %s', (_, source) => {
    expect(() => of({ ...server, source })).toThrow(/source must be 'mcp:<server>'/);
  });

  it("stands in front of the name: no server takes a name of the host's, nor of another server's", () => {
    expect(() => of({ ...server, name: 'echo' })).toThrow(/its name begins with 'mcp:files\/'/);
    expect(() => of({ ...server, name: 'mcp:mail/echo' })).toThrow(/its name begins with 'mcp:files\/'/);
  });

  it('is read from the definition alone, not from what hangs on Object.prototype', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    // oxlint-disable-next-line no-extend-native -- that is the attack
    Object.defineProperty(Object.prototype, 'source', { value: 'mcp:files', configurable: true, writable: true });
    try {
      const seen: string[] = [];
      registry.registerClaiming('toolPolicy', ({ tool: { source } }) => void seen.push(source));
      await agent.run('go');
      expect(seen).toEqual(['host']);
      expect(new RegisteredTool(tool).identity.source).toBe('host');
      expect(ran).toHaveLength(1);
    } finally {
      delete (Object.prototype as { source?: unknown }).source;
    }
  });
});
