/** A chat in the terminal: answers come as they are made, Ctrl+C aborts the run and not the program; at the prompt it ends it. */
import { createInterface } from 'node:readline/promises';
import { createAgent, offlineModel } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { keyFor, resolveModel } from '@treblehook/providers';
import { agentHooks } from '@treblehook/types';

const [name] = process.argv.slice(2); // such as openai-compatible:qwen3@http://127.0.0.1:11434/v1
const agent = createAgent({
  model: name === undefined ? offlineModel() : await resolveModel(name, { apiKey: keyFor(name, process.env) }),
  registry: createHookRegistry(agentHooks),
});
const session = agent.session();

const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
let run: AbortController | undefined;
const interrupt = (): void => (run === undefined ? terminal.close() : run.abort());
terminal.on('SIGINT', interrupt); // a terminal gives the key to readline
process.on('SIGINT', interrupt); // anything else is a signal
let isOpen = true;
terminal.once('close', () => (isOpen = false));

async function answer(input: string, signal: AbortSignal): Promise<void> {
  for await (const event of session.stream(input, { signal })) {
    if (event.type === 'text-delta') process.stdout.write(event.text);
    if (event.type !== 'done') continue;
    const { status, error } = event.result;
    if (status !== 'done') process.stdout.write(` (${status}${error instanceof Error ? `: ${error.message}` : ''})`);
  }
}

terminal.prompt();
for await (const line of terminal) {
  if (line.trim() !== '') {
    run = new AbortController();
    await answer(line, run.signal);
    run = undefined;
    process.stdout.write('\n');
  }
  if (isOpen) terminal.prompt();
}
process.off('SIGINT', interrupt);
await agent.close();
