/** Plain hooks hold one callback of each kind; `chainHooks` makes one object of several, in the order of its arguments. */
import { chainHooks, type Hooks } from '@treblehook/agent';
import { compactor } from '@treblehook/plugin-compaction';
import type { Message } from '@treblehook/types';

const said = (role: Message['role'], text: string): Message => ({ role, content: [{ type: 'text', text }] });
const note: Hooks = {
  beforeLLM: ({ messages }) => ({ messages: [...messages, said('user', `(${messages.length} messages so far)`)] }),
};
const lunch: Hooks = {
  beforeTool: ({ name }) => (name === 'send_mail' ? { error: 'nobody reads mail at noon' } : undefined),
};
const never: Hooks = {
  beforeTool: () => ({ args: { to: 'everybody' } }), // stands behind a stage that has ended the chain
};

const hooks = chainHooks({ beforeLLM: compactor({ maxTokens: 400 }) }, note, lunch, never);
console.log(`kinds: ${Object.keys(hooks ?? {}).join(', ')}`);

const { signal } = new AbortController();
const run = { runId: 'run', turn: 0, signal };
const earlier = ['one', 'two', 'three'].flatMap((word) => [said('user', word), said('assistant', word.repeat(300))]);
const messages = [...earlier, said('user', 'And now?')];
const request = await hooks?.beforeLLM?.({ ...run, messages, tools: [], model: 'small' });
console.log(
  `messages: ${messages.length} → ${request?.messages?.length}, the last one: ${JSON.stringify(request?.messages?.at(-1)?.content)}`,
);

const call = await hooks?.beforeTool?.({ ...run, name: 'send_mail', args: { to: 'ann' } });
console.log(`call: ${JSON.stringify(call)}`);
console.log(`nothing in, nothing out: ${JSON.stringify(chainHooks(undefined, {}, null))}`);
