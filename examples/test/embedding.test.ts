// The laws that the programs about embedding show: read from what they print, whatever stands in their output.txt.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { runExample, startExample } from './run-example.js';

describe('over a stub of two replies', () => {
  it('audit: plain hooks observe each turn and each tool', async () => {
    const stdout = await runExample('audit');
    expect(stdout).toContain('done: It answers.\n');
    expect(stdout).toContain('turns: [0,1]\n');
    expect(stdout).toContain('tools: ["ping"]\n');
  });

  it('veto: the call has the result of the hook, the tool never ran, and one step is one request', async () => {
    const stdout = await runExample('veto');
    expect(stdout).toContain('incomplete: steps, after 1 request\n');
    expect(stdout).toMatch(/^the call: \{"output":"vetoed: [^"]+","isError":true\}$/m);
    expect(stdout).toContain('deleted: []\n');
  });

  it('rewrite-and-redact: the tool gets the mended argument, and nobody gets the number', async () => {
    const stdout = await runExample('rewrite-and-redact');
    expect(stdout).toContain('the tool was asked for Chennai; beforeLLM was asked 2 times\n');
    for (const where of ['result', 'transcript', 'stream', 'log', 'wire']) {
      expect(stdout).toContain(`${where}: the office in Chennai: [redacted], the number: false\n`);
    }
  });
});

describe('the chat in the terminal', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** An endpoint that answers each request by the next of these. */
  async function endpoint(...replies: ((response: ServerResponse) => void)[]): Promise<string> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      replies.shift()?.(response);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `openai-compatible:stub@http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const says = (text: string) => (response: ServerResponse) =>
    void response.end(`${chunk({ content: text })}${chunk({}, 'stop')}data: [DONE]\n\n`);
  const never = (text: string) => (response: ServerResponse) => void response.write(chunk({ content: text }));

  function talk(name: string) {
    const child = startExample('embed-cli', [name]);
    let [out, faults] = ['', ''];
    const look = new Set<() => void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const one of look) one();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (faults += text));
    return {
      child,
      said: () => out,
      faults: () => faults,
      /** Resolves once it has printed that, behind what was waited for before. */
      until: (text: string) =>
        new Promise<void>((resolve) => {
          const check = (): void => {
            if (!out.includes(text)) return;
            look.delete(check);
            resolve();
          };
          look.add(check);
          check();
        }),
      ended: once(child, 'exit'),
    };
  }

  it('Ctrl+C aborts the run and not the program; at the prompt it ends the program, and so does the end of the input', async () => {
    const name = await endpoint(says('Good morning.'), never('Once upon'), says('Still here.'), says('Bye.'));
    const first = talk(name);
    first.child.stdin.write('Good morning!\n');
    await first.until('Good morning.\n> ');
    first.child.stdin.write('A story!\n');
    await first.until('Once upon');
    first.child.kill('SIGINT');
    await first.until('Once upon (aborted)\n> ');
    first.child.stdin.write('Are you there?\n');
    await first.until('Still here.\n> ');
    first.child.kill('SIGINT');
    expect(await first.ended).toEqual([0, null]);

    const second = talk(name);
    second.child.stdin.end('Bye!\n');
    expect(await second.ended).toEqual([0, null]);
    expect(second.said()).toContain('Bye.\n');
    expect([first.faults(), second.faults()]).toEqual(['', '']);
  });
});
