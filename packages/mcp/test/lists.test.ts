/** What a server lists, well or badly. */
import { describe, expect, it } from 'vitest';
import { agentOf, connect, hostile, named, use } from './kit.js';

const schema = { type: 'object' };
const deep = (depth: number): object => (depth === 0 ? { type: 'string' } : { type: 'array', items: deep(depth - 1) });

describe('a definition', () => {
  it.each<[string, object, RegExp]>([
    ['without a schema', { name: 'bad' }, /input schema is missing, or no object/],
    ['with a schema that is no object', { name: 'bad', inputSchema: true }, /is missing, or no object/],
    ['with a schema of something else', { name: 'bad', inputSchema: { type: 'array' } }, /not of type 'object'/],
    [
      'with a type that is none',
      { name: 'bad', inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } },
      /schema cannot be used: type must be/,
    ],
    [
      'with a pattern that is none',
      { name: 'bad', inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
      /schema cannot be used: Invalid regular expression/,
    ],
    [
      'with a reference to nowhere',
      { name: 'bad', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } } } },
      /schema cannot be used: can't resolve/,
    ],
    [
      'with a remote reference',
      { name: 'bad', inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/a.json' } } } },
      /refers to "http:\/\/127.0.0.1:1\/a.json": nothing is fetched/,
    ],
    [
      'with a reference to a file',
      { name: 'bad', inputSchema: { type: 'object', allOf: [{ $dynamicRef: 'file:///etc/passwd' }] } },
      /nothing is fetched for a schema/,
    ],
    [
      'with an address inside',
      { name: 'bad', inputSchema: { type: 'object', properties: { a: { $id: 'urn:x', type: 'string' } } } },
      /has an address of its own inside/,
    ],
    [
      'of a draft that is not spoken',
      { name: 'bad', inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' } },
      /schema cannot be used: .*unsupported dialect/,
    ],
    ['nested too deep', { name: 'bad', inputSchema: { type: 'object', properties: { a: deep(80) } } }, /nested deeper/],
    ['too long', { name: 'bad', description: 'x'.repeat(70_000), inputSchema: schema }, /more than 65536/],
    [
      'with a description that is no text',
      { name: 'bad', description: {}, inputSchema: schema },
      /description is no text/,
    ],
    [
      'that only a task can run',
      { name: 'bad', inputSchema: schema, execution: { taskSupport: 'required' } },
      /a task/,
    ],
    ['with a name that is empty', { name: '', inputSchema: schema }, /its name must have/],
    ['with a name too long', { name: 'b'.repeat(200), inputSchema: schema }, /its name must have/],
    ['with a line in its name', { name: 'bad\nname', inputSchema: schema }, /its name must have/],
    ['with a turned direction in its name', { name: 'bad\u202Ename', inputSchema: schema }, /its name must have/],
    ['with an invisible character in its name', { name: 'b\u200Bad', inputSchema: schema }, /its name must have/],
    ['with half a character in its name', { name: 'bad\uD800', inputSchema: schema }, /its name must have/],
    ['with a space at its end', { name: 'bad ', inputSchema: schema }, /its name must have/],
    ['with no text as its name', { name: 5, inputSchema: schema }, /it has no name/],
  ])('%s is left out, with a notice, and the others stay', async (_, bad, why) => {
    const { names, told, run } = await connect({ s: hostile({ tools: [bad, ...named('echo')] }) });
    expect(names()).toEqual(['mcp:s/echo']);
    expect(told('tool-refused')).toEqual([expect.stringMatching(why)]);
    expect(await run('mcp:s/echo', { n: 1 })).toEqual({ output: '{"n":1}', isError: false });
  });

  it('with a schema of too many parts is left out', async () => {
    const { names, told } = await connect({ s: hostile({ parts: 30_000, tools: named('bad', 'echo') }) });
    expect(names()).toEqual(['mcp:s/echo']);
    expect(told('tool-refused')).toEqual([expect.stringMatching(/more than 20000 parts/)]);
  });

  it.each([null, 5, 'echo', [], true])('that is %j is left out', async (bad) => {
    const { names, told } = await connect({ s: hostile({ tools: [bad, ...named('echo')] }) });
    expect(names()).toEqual(['mcp:s/echo']);
    expect(told('tool-refused')).toEqual([expect.stringMatching(/it is no definition/)]);
  });

  it('that stands twice is left out each time: nothing says which one a call would reach', async () => {
    const { names, told } = await connect({ s: hostile({ tools: named('twice', 'echo', 'twice') }) });
    expect(names()).toEqual(['mcp:s/echo']);
    expect(told('tool-refused')).toEqual([expect.stringMatching(/listed 2 times/)]);
  });

  it('is refused in one notice, however often it is listed', async () => {
    const { servers, told } = await connect({ s: hostile({ tools: [5, ...named('echo')] }) });
    await servers.refresh();
    await servers.refresh();
    expect(told('tool-refused')).toHaveLength(1);
  });

  it('with an odd name is called by it', async () => {
    const odd = ['a/b', 'a.b', 'a b', 'mcp:x/y', 'датa', '$(rm)', '*', '__proto__', 'constructor', '日本'];
    const { servers } = await connect({ s: hostile({ tools: named(...odd) }) });
    // names that differ in odd characters alone are told apart by their digests
    const { agent } = agentOf(
      [({ tools = [] }) => ({ calls: tools.map(({ name }, at) => ({ name, args: { at } })) }), 'ok'],
      { tools: servers.tools },
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ name, output }) => [name, output])).toEqual(
      odd.map((name, at) => [`mcp:s/${name}`, JSON.stringify({ at })]),
    );
  });

  it('holds the arguments of a call to its schema, whatever addresses the schemas of others have', async () => {
    const of = (type: string): object => ({
      $id: 'urn:same',
      type: 'object',
      properties: { a: { type } },
      required: ['a'],
    });
    const tools = [
      { name: 'text', inputSchema: of('string') },
      { name: 'number', inputSchema: of('number') },
    ];
    const { servers } = await connect({ s: hostile({ tools }) });
    const { agent } = agentOf(
      [
        use('mcp:s/text', { a: 1 }),
        use('mcp:s/number', { a: 'b' }),
        use('mcp:s/text', { a: 'b' }),
        use('mcp:s/number', { a: 1 }),
        'ok',
      ],
      { tools: servers.tools },
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'ok', 'ok']);
  });
});

describe('a list', () => {
  it('of many pages is read whole', async () => {
    const { names } = await connect({ s: hostile({ list: 'pages', tools: named('a', 'b', 'c') }) });
    expect(names()).toEqual(['mcp:s/a', 'mcp:s/b', 'mcp:s/c']);
  });

  it('of 10,000 tools is cut, with a notice', async () => {
    const { names, told, run } = await connect({ s: hostile({ tools: [], fill: 10_000 }) }, { maxTools: 50 });
    expect(names()).toHaveLength(50);
    expect(told('tools-cut')).toEqual([expect.stringMatching(/more than 50 tools/)]);
    expect(await run('mcp:s/t49', { n: 1 })).toMatchObject({ isError: false });
  });

  it.each([
    ['endless', /a list of tools that does not end/],
    ['none', /a list of tools that is no list/],
    ['error', /no such luck/],
    ['exit', /has ended \(exit code 7\)/],
  ] as const)('that is %s fails the connection', async (list, why) => {
    await expect(connect({ s: hostile({ list }) })).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: expect.stringMatching(why),
    });
  });

  it('is empty where a server offers no tools', async () => {
    const { names, servers } = await connect({ s: hostile({ capabilities: {}, instructions: 'Be kind.' }) });
    expect(names()).toEqual([]);
    expect(servers.describe()).toEqual([
      {
        name: 's',
        source: 'mcp:s',
        state: 'connected',
        tools: [],
        says: { name: 'hostile', version: '1' },
        instructions: 'Be kind.',
      },
    ]);
  });
});
