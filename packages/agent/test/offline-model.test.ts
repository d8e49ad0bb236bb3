/** Laws of the offline model: what it says it is, what it calls, what it quotes, when it ends. */
import fc from 'fast-check';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  estimateTokens,
  type ModelCallOptions,
  type ModelMessage,
  type ModelPort,
  type ModelStreamPart,
  type ModelTool,
} from '@treblehook/types';
import { createAgent } from '../src/agent.js';
import { offlineModel } from '../src/offline/offline-model.js';

interface Body extends ModelTool {
  readonly run: (input: any) => string;
}
const text = { type: 'string' };
const tool = (name: string, properties: object, run: Body['run'], required = Object.keys(properties)): Body => ({
  type: 'function',
  name,
  description: name,
  inputSchema: { type: 'object', properties, required },
  run,
});
class Refused extends Error {}

/** A folder in memory, and tools over it in the spelling of this house. */
const files: Record<string, string> = {
  'README.md':
    '# Lighthouse\n\nA small program that keeps a lamp burning.\n\n## Fuel\n\nThe tank holds oil for nine nights.\n',
  'package.json': '{\n  "name": "lighthouse",\n  "description": "Keeps a lamp burning"\n}\n',
  'src/lamp.ts':
    "import { tank } from './tank.js';\n\n/** The lamp burns while the tank has oil. */\nexport function lamp() {\n  return tank() > 0;\n}\n",
  'src/tank.ts': '/** How much oil is left, in nights. */\nexport function tank() {\n  return 9;\n}\n',
  'docs/keeper.md': 'The keeper refills the tank every ninth night.\nShe sleeps by day.\n',
  'secret.env': 'KEY=1\n',
  'node_modules/oil/oil.md': 'oil\n',
};
const read = (path: string): string => {
  const content = files[path.replace(/^\.\//, '')];
  if (content === undefined) throw new Refused(`no such file: ${path}`);
  return content;
};
const listTool = tool(
  'list_files',
  { path: text, recursive: { type: 'boolean' } },
  () => Object.keys(files).join('\n'),
  ['path'],
);
const readTool = tool('read_file', { path: text }, ({ path }) => read(path));
const searchTool = tool('search_files', { query: text }, ({ query }) => {
  const hits = Object.entries(files).flatMap(([path, content]) =>
    content
      .split('\n')
      .flatMap((line, at) => (line.toLowerCase().includes(query) ? [`${path}:${at + 1}: ${line}`] : [])),
  );
  return hits.join('\n') || 'nothing found';
});
const folder = [listTool, readTool, searchTool];

const say = (role: 'user' | 'assistant', words: string): ModelMessage => ({
  role,
  content: [{ type: 'text', text: words }],
});
const partsOf = async (options: ModelCallOptions, model = offlineModel()): Promise<ModelStreamPart[]> => {
  const parts: ModelStreamPart[] = [];
  const { stream } = await model.doStream(options);
  for await (const part of stream as AsyncIterable<ModelStreamPart>) parts.push(part);
  return parts;
};
const textIn = (parts: readonly ModelStreamPart[]): string =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');

interface Talk {
  readonly text: string;
  readonly calls: { readonly name: string; readonly input: any; readonly id: string; readonly step: number }[];
  readonly prompt: ModelMessage[];
}
/** Drives the model as a loop would. `between` may rewrite the prompt before each step. */
async function talk(
  question: string,
  tools: readonly Body[] = folder,
  more: {
    readonly before?: readonly ModelMessage[];
    readonly between?: (prompt: ModelMessage[]) => ModelMessage[];
    readonly inject?: readonly ModelMessage[];
    readonly options?: Partial<ModelCallOptions>;
    readonly model?: ModelPort;
  } = {},
): Promise<Talk> {
  let prompt: ModelMessage[] = [
    { role: 'system', content: 'Be useful.' },
    ...(more.before ?? []),
    say('user', question),
  ];
  const calls: Talk['calls'] = [];
  for (let step = 0; step < 60; step++) {
    prompt = more.between?.(prompt) ?? prompt;
    const parts = await partsOf(
      { prompt: [...prompt, ...(more.inject ?? [])], tools: [...tools], ...more.options },
      more.model,
    );
    const made = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
    if (made.length === 0) return { text: textIn(parts), calls, prompt };
    prompt = [
      ...prompt,
      {
        role: 'assistant',
        content: made.map(({ toolCallId, toolName, input }) => ({
          type: 'tool-call',
          toolCallId,
          toolName,
          input: JSON.parse(input) as unknown,
        })),
      },
    ];
    for (const { toolCallId, toolName, input } of made) {
      calls.push({ name: toolName, input: JSON.parse(input), id: toolCallId, step });
      let output: { type: 'text' | 'error-text'; value: string };
      try {
        output = { type: 'text', value: tools.find(({ name }) => name === toolName)!.run(JSON.parse(input)) };
      } catch (error) {
        output = { type: 'error-text', value: (error as Error).message };
      }
      prompt.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    }
  }
  throw new Error(`no answer after 60 steps: ${JSON.stringify(calls.map(({ input }) => input))}`);
}
const called = ({ calls }: Talk): string[] => calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
const honest = /^Offline model: .*understands no language\./;

describe('what it says it is', () => {
  for (const [what, question, tools] of [
    ['a greeting', 'hello!', folder],
    ['thanks', 'Thank you', []],
    ['nothing', '', folder],
    ['a question about itself', 'what can you do?', folder],
    ['a question without tools', 'why is the sky blue?', []],
    ['a question with tools', 'how much oil is in the tank?', folder],
    ['an order', 'delete_file README.md', [tool('delete_file', { path: text }, () => 'deleted')]],
  ] as const) {
    test(`stands in the first line of its answer to ${what}`, async () => {
      expect((await talk(question, tools)).text.split('\n')[0]).toMatch(honest);
    });
  }

  test('a greeting calls no tool and names the tools there are', async () => {
    const { calls, text } = await talk('Hi there');
    expect(calls).toEqual([]);
    expect(text).toContain('list_files, read_file, search_files');
  });

  test('the same prompt gives the same stream', async () => {
    const { prompt } = await talk('how much oil is in the tank?');
    expect(await partsOf({ prompt, tools: folder })).toEqual(await partsOf({ prompt, tools: folder }, offlineModel()));
  });
});

describe('a question about a folder', () => {
  test('is answered over several steps: list, search, read, then extracts', async () => {
    const { calls, text } = await talk('Who refills the tank with oil, the keeper?');
    expect(calls.map(({ name, step }) => `${step} ${name}`)).toEqual([
      '0 list_files',
      '1 search_files',
      '1 search_files',
      '1 search_files',
      '2 read_file',
      '2 read_file',
      '3 read_file',
      '3 read_file',
    ]);
    expect(text).toContain('docs/keeper.md\n  1: The keeper refills the tank every ninth night.');
  });

  test('quotes only lines that stand in the file under that number', async () => {
    let quoted = 0;
    for (const question of [
      'how much oil is in the tank?',
      'what does this project do?',
      'explain src/lamp.ts',
      'when does the keeper sleep?',
    ]) {
      let path = '';
      for (const line of (await talk(question)).text.split('\n')) {
        if (line in files) path = line;
        const quote = /^ {2}(\d+): (.*)$/.exec(line);
        if (quote === null) continue;
        quoted++;
        expect(files[path]!.split('\n')[Number(quote[1]) - 1]!.trim()).toBe(quote[2]);
      }
    }
    expect(quoted).toBeGreaterThan(15);
  });

  test('reads what the words of the question point to, and leaves out what machines wrote', async () => {
    const { calls } = await talk('how is the lamp lit?');
    const paths = calls.filter(({ name }) => name === 'read_file').map(({ input }) => input.path as string);
    expect(paths[0]).toBe('src/lamp.ts');
    const oil = await talk('what about the oil?');
    expect(
      [...called(await talk('how is the lamp lit?')), ...called(oil)].some((one) => one.includes('node_modules')),
    ).toBe(false);
    expect(oil.text).not.toContain('node_modules');
  });

  test('for the whole begins with the readme', async () => {
    const { calls, text } = await talk('What does this project do?');
    expect(calls.find(({ name }) => name === 'read_file')!.input).toEqual({ path: 'README.md' });
    expect(text).toContain('  3: A small program that keeps a lamp burning.');
  });

  test('for a file reads that file and nothing else', async () => {
    expect(called(await talk('explain src/tank.ts'))).toEqual(['read_file {"path":"src/tank.ts"}']);
    const bare = await talk('sum up keeper.md');
    expect(called(bare).slice(1)).toEqual(['read_file {"path":"docs/keeper.md"}']);
    expect(bare.text).toContain('2: She sleeps by day.');
  });

  test('for its files lists them and reads none', async () => {
    const { calls, text } = await talk('Please list the files');
    expect(calls.map(({ name }) => name)).toEqual(['list_files']);
    expect(text).toContain('\n  src/lamp.ts\n');
  });

  const spellings: [string, Body[]][] = [
    [
      'marked entries, folder by folder',
      [
        tool('list_directory', { path: text }, ({ path }) =>
          path === '.'
            ? '[DIR] docs\n[DIR] src\n[FILE] README.md'
            : path === 'docs'
              ? '[FILE] keeper.md'
              : '[FILE] lamp.ts\n[FILE] tank.ts',
        ),
        tool('read_text_file', { path: text }, ({ path }) => read(path)),
      ],
    ],
    [
      'a JSON list and camelCase',
      [
        tool('listFiles', { dir: text }, () => JSON.stringify(Object.keys(files))),
        tool('readFile', { filePath: text }, ({ filePath }) => read(filePath)),
      ],
    ],
    [
      'shell words and sizes',
      [
        tool('ls', { path: text }, () =>
          Object.keys(files)
            .map((path) => `${path}  120 bytes`)
            .join('\n'),
        ),
        tool('cat', { file: text }, ({ file }) => read(file)),
      ],
    ],
    [
      'search alone with reading',
      [tool('grep', { pattern: text }, ({ pattern }) => searchTool.run({ query: pattern })), readTool],
    ],
  ];
  for (const [what, tools] of spellings) {
    test(`works through tools of another spelling: ${what}`, async () => {
      const { text } = await talk('when does the keeper refill the tank?', tools);
      expect(text).toContain('docs/keeper.md\n  1: The keeper refills the tank every ninth night.');
    });
  }

  test('numbers that a tool writes in front of lines are taken over', async () => {
    const numbered = tool('read_file', { path: text }, ({ path }) =>
      read(path)
        .split('\n')
        .map((line, at) => `${at + 41}\t${line}`)
        .join('\n'),
    );
    expect((await talk('explain docs/keeper.md', [listTool, numbered])).text).toContain('  41: The keeper refills');
  });

  test('behind a cut in the middle no line has a number', async () => {
    const cut = tool(
      'read_file',
      { path: text },
      () => 'the keeper wakes\n[… 900 characters were cut here …]\nthe keeper sleeps\n',
    );
    const { text: answer } = await talk('explain docs/keeper.md', [listTool, cut]);
    expect(answer).toContain('  1: the keeper wakes');
    expect(answer).toContain('  ~: the keeper sleeps');
  });

  test('what a cut left of a listed or a found line is no path', async () => {
    const note = '[… 900 characters were cut here …]';
    const list = tool('list_files', { path: text }, () => `README.md\nsrc/la\n${note}\nnk.ts\ndocs/keeper.md`);
    const search = tool(
      'search_files',
      { query: text },
      () => `a.md:1: the lamp burns\nb.md:2: the la\n${note}\nd:93: the lamp\ne.md:4: a lamp\n${note}`,
    );
    const { text: found } = await talk('how is the lamp lit?', [list, search]);
    expect(found).toContain('  a.md:1: the lamp burns');
    expect(found).toContain('  e.md:4: a lamp');
    expect(found).not.toMatch(/b\.md|d:93/);
    const { text: listed } = await talk('which files are in here?', [list]);
    expect(listed).toContain('docs/keeper.md');
    expect(listed).not.toMatch(/la$|nk\.ts/m);
  });

  test('tools whose arguments it cannot fill are left alone', async () => {
    const { calls, text: answer } = await talk('how much oil is in the tank?', [
      tool('read_file', { path: text, ticket: text }, () => 'never'),
      tool('list_issues', { repo: text }, () => 'never'),
    ]);
    expect(calls).toEqual([]);
    expect(answer).toContain('No tool was offered that could look anything up');
  });
});

describe('a refusal', () => {
  const guarded = (denied: RegExp): Body[] =>
    folder.map((one) => ({
      ...one,
      run: (input) => {
        if (denied.test(`${one.name} ${JSON.stringify(input)}`))
          throw new Refused('denied by tool-policy: not for you');
        return one.run(input);
      },
    }));

  test('of one file is quoted with its name, and the others are answered from', async () => {
    const { text, calls } = await talk('how much oil is in the tank?', guarded(/tank\.ts/));
    expect(text).toContain('src/tank.ts: denied by tool-policy: not for you');
    expect(text).toContain('README.md');
    expect(calls.filter(({ input }) => input.path === 'src/tank.ts')).toHaveLength(1);
  });

  test('of the listing leads on to the search', async () => {
    const { text } = await talk('how much oil is in the tank?', guarded(/^list_files/));
    expect(text).toContain('list_files {"path":".","recursive":true}: denied by tool-policy');
    expect(text).toContain('src/tank.ts\n');
  });

  test('of everything ends in an honest answer', async () => {
    const { text, calls } = await talk('how much oil is in the tank?', guarded(/./));
    expect(text).toContain('Nothing that could be listed or read answers the question.');
    expect(calls.length).toBeLessThan(10);
  });

  test('of every file that is read ends after as many as would have been read', async () => {
    const many = Array.from({ length: 30 }, (_, at) => `oil-${at}.md`).join('\n');
    const { calls } = await talk('where is oil?', [{ ...listTool, run: () => many }, guarded(/^read/)[1]!]);
    expect(calls.filter(({ name }) => name === 'read_file')).toHaveLength(4);
  });

  test('of the folder that is asked about leads on to the whole', async () => {
    const { calls } = await talk('what is in nowhere/at/all?', guarded(/nowhere/));
    expect(calls.filter(({ name }) => name === 'list_files').map(({ input }) => input.path as string)).toEqual([
      'nowhere/at/all',
      '.',
    ]);
  });

  test('of a missing file is told and the folder is looked through', async () => {
    const { text } = await talk('what does src/nothing.ts say about oil?');
    expect(text).toContain('src/nothing.ts: no such file: src/nothing.ts');
  });
});

describe('an order', () => {
  const run = tool('run_command', { command: text }, ({ command }) => `ran ${command}`);
  const remove = tool('delete_file', { path: text }, () => {
    throw new Refused('denied by tool-policy: nothing is deleted here');
  });
  const orders: [string, string[]][] = [
    ['run_command ls -la', ['run_command {"command":"ls -la"}']],
    ['Please run_command ls -la && cat x.txt; date', ['run_command {"command":"ls -la && cat x.txt; date"}']],
    ['run `npm test` please', ['run_command {"command":"npm test"}']],
    ['delete README.md', ['delete_file {"path":"README.md"}']],
    ['Can you remove the file docs/keeper.md?', ['delete_file {"path":"docs/keeper.md"}']],
    [
      'Delete "keep.txt". Use delete_file on "./keep.txt".',
      ['delete_file {"path":"keep.txt"}', 'delete_file {"path":"./keep.txt"}'],
    ],
    ['call delete_file with {"path":"a b.txt"}', ['delete_file {"path":"a b.txt"}']],
    [
      'delete_file path=x.txt and then run_command date',
      ['delete_file {"path":"x.txt"}', 'run_command {"command":"date"}'],
    ],
  ];
  for (const [question, expected] of orders) {
    test(`is carried out as it stands: ${question}`, async () => {
      expect(called(await talk(question, [run, remove]))).toEqual(expected);
    });
  }

  test('waits for the one in front of it', async () => {
    const { calls } = await talk('run_command first then run_command second', [run]);
    expect(calls.map(({ step }) => step)).toEqual([0, 1]);
  });

  test('that is denied is called once, quoted, and called no success', async () => {
    const { calls, text } = await talk('delete README.md', [remove]);
    expect(calls).toHaveLength(1);
    expect(text).toContain('delete_file {"path":"README.md"} was not done. The answer was: denied by tool-policy');
  });

  test('and a question in one sentence are both answered', async () => {
    const { calls, text } = await talk('Delete README.md and tell me how much oil is in the tank', [...folder, remove]);
    expect(calls[0]!.name).toBe('delete_file');
    expect(text).toContain('was not done');
    expect(text).toContain('src/tank.ts\n  1: /** How much oil is left, in nights. */');
  });

  test('that no tool can carry out is said, not done with another tool', async () => {
    const { calls, text } = await talk('delete README.md', folder);
    expect(calls).toEqual([]);
    expect(text).toContain('No offered tool can delete');
  });

  test('a question that mentions a tool is no order', async () => {
    expect((await talk('how does run_command work?', [run, ...folder])).calls.map(({ name }) => name)).not.toContain(
      'run_command',
    );
  });

  test('the same order in a later turn is carried out again', async () => {
    const first = await talk('run_command date', [run]);
    const again = await talk('run_command date', [run], {
      before: [...first.prompt.slice(1), say('assistant', first.text)],
    });
    expect(called(again)).toEqual(['run_command {"command":"date"}']);
    expect(again.calls[0]!.id).not.toBe(first.calls[0]!.id);
  });
});

describe('its end', () => {
  const words = fc.constantFrom(
    'oil',
    'tank',
    'lamp',
    'keeper',
    'README.md',
    'src/lamp.ts',
    'delete',
    'list the files',
    'read_file',
    'then',
    'what',
    '?',
    '.',
    '`x`',
    '{',
    'docs/',
    'run_command ls',
    '\n',
    'and',
    '../..',
    '"',
  );
  const chaos = tool('run_command', { command: text }, () => 'ok');

  test('for any question and any answers of the tools it ends, and makes no call twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { maxLength: 12 }),
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 200 }),
            fc.constantFrom('a.md\nb.md\nc/', '[]', '[1,{"path":"x.md"}]', 'x.ts:3: oil\ny.ts:4: oil'),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        fc.boolean(),
        async (parts, outputs, fails) => {
          let turn = 0;
          const odd = [...folder, chaos].map((one) => ({
            ...one,
            run: () => {
              if (fails && turn % 3 === 0) throw new Refused('denied');
              return outputs[turn++ % outputs.length]!;
            },
          }));
          const { calls, text } = await talk(parts.join(' '), odd);
          const keys = calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
          expect(new Set(keys).size).toBe(keys.length);
          expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
          expect(calls.length).toBeLessThanOrEqual(16);
          expect(text).toMatch(honest);
        },
      ),
      { numRuns: 400 },
    );
  });

  // anything quadratic in them would not come within the time of a test
  test('comes for questions and results of some hundred thousand characters', async () => {
    for (const filler of ['{', '"', '`', 'a/', '../', '- ', '[… ', 'x.y ', 'x:1', 'Hello_', ' ', '\n', 'oil\n', '🙂']) {
      const long = filler.repeat(300_000 / filler.length);
      expect((await talk(`where is the oil? ${long}`)).text).toMatch(honest);
      const flood = folder.map((one) => ({ ...one, run: () => `[…${long}` }));
      expect((await talk('where is the oil in src/lamp.ts?', flood)).text).toMatch(honest);
      expect((await talk('where is the oil?', flood)).text.length).toBeLessThan(20_000);
    }
  });

  test('comes in spite of a compaction that forgets all but the prompt and the newest group', async () => {
    const between = (prompt: ModelMessage[]): ModelMessage[] => {
      const at = prompt.findLastIndex(({ role }) => role === 'assistant');
      return at < 0 ? prompt : [...prompt.slice(0, 2), ...prompt.slice(at)];
    };
    const { calls } = await talk('how much oil is in the tank?', folder, { between });
    expect(calls.length).toBeLessThanOrEqual(16);
  });

  test('comes after as many calls as the options say', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `oil-${at}.md`).join('\n');
    const tools = [
      { ...listTool, run: () => many },
      { ...readTool, run: () => 'oil' },
    ];
    const model = offlineModel({ maxReads: 50, maxCalls: 6 });
    const { calls, text } = await talk('where is oil?', tools, { model });
    expect(calls).toHaveLength(6);
    expect(text).toContain('Stopped after 6 tool calls');
  });
});

describe('a long conversation', () => {
  const before = Array.from({ length: 80 }, (_, at) => [
    say('user', `what is number ${at}?`),
    say('assistant', `number ${at} is ${at}`),
  ]).flat();

  test('of 160 messages changes neither the question nor the calls', async () => {
    const question = 'how much oil is in the tank?';
    expect(called(await talk(question, folder, { before }))).toEqual(called(await talk(question)));
  });

  test('text that a stage adds behind the question does not displace it', async () => {
    const inject = [say('user', 'Today is Monday. The office is closed.')];
    const question = 'how much oil is in the tank?';
    expect(called(await talk(question, folder, { inject }))).toEqual(called(await talk(question)));
  });

  test('a question behind a turn that never came to an answer is the question', async () => {
    const cut = await talk('how much oil is in the tank?');
    const { text } = await talk('and when does the keeper sleep?', folder, { before: cut.prompt.slice(1) });
    expect(text).toContain('She sleeps by day.');
  });

  test('without tools is quoted from', async () => {
    const { text } = await talk('which number did I like? number 7', [], {
      before: [say('user', 'I like the ferry most'), say('assistant', 'noted'), ...before],
    });
    expect(text).toContain('Said earlier:');
    expect(
      (await talk('which ferry?', [], { before: [say('user', 'I like the ferry most'), say('assistant', 'noted')] }))
        .text,
    ).toContain('user: I like the ferry most');
  });

  test('a summary of what is gone counts: its calls are not made again, its lines are quoted', async () => {
    /** Folds everything but the prompt and the newest group, as a compaction would. */
    const fold = (prompt: ModelMessage[]): ModelMessage[] => {
      const at = prompt.findLastIndex(({ role }) => role === 'assistant');
      const asked = prompt.findIndex(
        (message) => message.role === 'user' && !JSON.stringify(message).includes('[Summary of'),
      );
      if (at < asked + 2) return prompt;
      const older = prompt.filter((_, index) => index > 0 && index !== asked && index < at);
      const lines = older.flatMap((message) => {
        if (message.role === 'user')
          return message.content.flatMap((part) => (part.type === 'text' ? part.text.split('\n').slice(1) : []));
        if (message.role !== 'assistant') return [];
        return message.content.flatMap((part) => {
          if (part.type !== 'tool-call') return [];
          const result = prompt
            .flatMap((one) => (one.role === 'tool' ? one.content : []))
            .find(({ toolCallId }) => toolCallId === part.toolCallId);
          return [
            `- called ${part.toolName} ${JSON.stringify(part.input)} → ${result!.output.value.length} characters: ${result!.output.value.slice(0, 200).replaceAll('\n', ' ')}`,
          ];
        });
      });
      const summary = say('user', `[Summary of ${lines.length} earlier messages. A record.]\n${lines.join('\n')}`);
      return [prompt[0]!, summary, prompt[asked]!, ...prompt.slice(at)];
    };
    const question = 'when does the keeper refill the tank with oil?';
    const folded = await talk(question, folder, { between: fold });
    expect(new Set(called(folded)).size).toBe(folded.calls.length);
    expect(folded.calls.length).toBeGreaterThan(3);
    expect(folded.calls.map(({ id }) => id)).toEqual(folded.calls.map((_, at) => `offline-${at + 1}-${at + 1}`));
    expect(folded.text).toContain('From the summary of earlier messages:');
    expect(folded.text).toMatch(/keeper/);
  });
});

describe('the port', () => {
  const asked = (more: Partial<ModelCallOptions> = {}): ModelCallOptions => ({
    prompt: [say('user', 'hello')],
    ...more,
  });

  test('streams in small deltas that make up the text', async () => {
    const parts = await partsOf(asked());
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(deltas.length).toBeGreaterThan(5);
    expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThan(60);
    expect(parts.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      'text-start',
      'text-end',
      'finish',
    ]);
  });

  test('reports usage as the estimator counts it', async () => {
    const parts = await partsOf(asked({ tools: folder }));
    const finish = parts.at(-1);
    const input = estimateTokens(
      [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      folder.map(({ name, inputSchema }) => ({ name, description: name, inputSchema })),
    );
    const output = estimateTokens([{ role: 'assistant', content: [{ type: 'text', text: textIn(parts) }] }]);
    expect(finish).toMatchObject({
      finishReason: { unified: 'stop' },
      usage: { inputTokens: { total: input, noCache: input, cacheRead: 0 }, outputTokens: { total: output } },
    });
  });

  test('stops when it is aborted, before it starts and in the middle', async () => {
    const gone = AbortSignal.abort(new Error('left'));
    await expect(offlineModel().doStream(asked({ abortSignal: gone }))).rejects.toThrow('left');
    const controller = new AbortController();
    const { stream } = await offlineModel().doStream(asked({ abortSignal: controller.signal }));
    let seen = 0;
    await expect(
      (async () => {
        for await (const _ of stream as AsyncIterable<unknown>) if (++seen === 3) controller.abort(new Error('enough'));
      })(),
    ).rejects.toThrow('enough');
    expect(seen).toBe(3);
  });

  test('honours the choice of tools', async () => {
    const question = { prompt: [say('user', 'how much oil is in the tank?')], tools: folder };
    const callsOf = async (options: ModelCallOptions) =>
      (await partsOf(options)).flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []));
    expect(await callsOf({ ...question, toolChoice: { type: 'none' } })).toEqual([]);
    expect(await callsOf({ ...question, toolChoice: { type: 'tool', toolName: 'search_files' } })).toEqual([
      'search_files',
    ]);
    expect(
      await callsOf({ prompt: [say('user', 'hello')], tools: folder, toolChoice: { type: 'required' } }),
    ).toHaveLength(1);
    const forced = await talk('how much oil?', folder, { options: { toolChoice: { type: 'required' } } });
    expect(forced.calls.length).toBeGreaterThan(0);
  });

  test('an answer cut by length says so, and a stop sequence ends it', async () => {
    const short = await partsOf(asked({ maxOutputTokens: 5 }));
    expect(textIn(short)).toHaveLength(20);
    expect(short.at(-1)).toMatchObject({ finishReason: { unified: 'length' } });
    const stopped = await partsOf(asked({ stopSequences: ['network'] }));
    expect(textIn(stopped)).toMatch(/without a $/);
    expect(stopped.at(-1)).toMatchObject({ finishReason: { unified: 'stop' } });
  });

  test('JSON is JSON, and says what it is', async () => {
    const parts = await partsOf(asked({ responseFormat: { type: 'json' } }));
    expect(JSON.parse(textIn(parts))).toEqual({ model: expect.stringMatching(honest), answer: expect.any(String) });
  });

  test('a wrong option is refused at once', () => {
    for (const options of [{ maxReads: -1 }, { maxCalls: 1.5 }, { maxCalls: Number.NaN }]) {
      expect(() => offlineModel(options)).toThrow(expect.objectContaining({ code: 'TH_MODEL_INVALID' }));
    }
  });
});

test('in the real loop it answers from files, and a denied order stays undone', async () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming(
    'toolPolicy',
    ({ tool: { name } }) => (name === 'delete_file' ? { deny: 'nothing is deleted here' } : undefined),
    {
      id: 'tool-policy',
    },
  );
  let deleted = 0;
  const agent = createAgent({
    model: offlineModel(),
    registry,
    tools: [
      defineTool({
        name: 'list_files',
        description: 'Lists',
        input: z.object({ path: z.string() }),
        execute: () => Object.keys(files).join('\n'),
      }),
      defineTool({
        name: 'read_file',
        description: 'Reads',
        input: z.object({ path: z.string() }),
        execute: ({ path }) => read(path),
      }),
      defineTool({
        name: 'delete_file',
        description: 'Deletes',
        input: z.object({ path: z.string() }),
        execute: () => {
          deleted++;
          return 'deleted';
        },
      }),
    ],
  });
  const result = await agent.run('Delete README.md and tell me when the keeper refills the tank');
  await agent.close();
  expect(result.status).toBe('done');
  expect(deleted).toBe(0);
  expect(result.text).toMatch(honest);
  expect(result.text).toContain('nothing is deleted here');
  expect(result.text).toContain('docs/keeper.md\n  1: The keeper refills the tank every ninth night.');
});
