// A server over stdio that does what its first argument says, well or badly. Its own words only: no library stands in between.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const plan = JSON.parse(process.argv[2] ?? '{}');
const { initialize = 'ok', list = 'ok', capabilities = { tools: { listChanged: true } }, log, noise = [] } = plan;
let { tools = [{ name: 'echo', inputSchema: { type: 'object' } }] } = plan;

/** @param {unknown} line */
const note = (line) => log !== undefined && appendFileSync(log, `${JSON.stringify(line)}\n`);
/** @param {string} line */
const write = (line) => process.stdout.write(`${line}\n`);
/** @param {object} message */
const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
/** @param {string} what */
const text = (what) => ({ content: [{ type: 'text', text: what }] });
/** @type {Map<unknown, (answer: unknown) => void>} */
const waiting = new Map();
let asked = 0;

// more than an argument can carry
for (let at = 0; at < (plan.fill ?? 0); at++) tools.push({ name: `t${at}`, inputSchema: { type: 'object' } });
if (plan.parts !== undefined) tools[0].inputSchema.enum = Array.from({ length: plan.parts }, (_, at) => at);

note({ start: process.pid });
if (plan.stderr !== undefined) process.stderr.write(plan.stderr);
if (plan.stubborn) {
  process.on('SIGTERM', () => note({ signal: 'SIGTERM' }));
  setInterval(() => {}, 1_000);
}
for (const line of noise) write(line);

/**
 * What a tool does, by its name.
 * @type {Record<string, (args: any) => unknown>}
 */
const calls = {
  echo: (args) => text(JSON.stringify(args)),
  env: () => text(JSON.stringify(process.env)),
  raw: ({ result }) => result,
  hang: () => undefined,
  stall: () => {
    fates['tools/list'] = 'hang';
    return text('from now on it lists nothing');
  },
  die: ({ code = 3, words = '' }) => {
    process.stderr.write(words, () => process.exit(code));
  },
  change: ({ tools: next, silent = false }) => {
    tools = next;
    if (!silent) send({ method: 'notifications/tools/list_changed' });
    return text('changed');
  },
  ask: ({ method, params = {} }) =>
    new Promise((resolve) => {
      const id = `ask-${asked++}`;
      waiting.set(id, (/** @type {unknown} */ answer) => resolve(text(JSON.stringify(answer))));
      send({ id, method, params });
    }),
  lines: ({ lines }) => {
    for (const line of lines) write(line);
    return text('written');
  },
  big: ({ bytes }) => {
    process.stdout.write('x'.repeat(bytes));
  },
  child: () => {
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
      stdio: 'inherit',
    });
    return text(String(child.pid));
  },
};

/** @param {string} name */
const callOf = (name) =>
  /** @type {(args: any) => unknown} */ (Object.hasOwn(calls, name) ? calls[name] : calls['echo']);

/** @type {Record<string, (params: any) => unknown>} */
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: plan.protocolVersion ?? protocolVersion,
    capabilities,
    serverInfo: { name: 'hostile', version: '1' },
    ...(plan.instructions === undefined ? {} : { instructions: plan.instructions }),
  }),
  'tools/list': ({ cursor }) => {
    if (list === 'endless') return { tools: [], nextCursor: cursor === 'a' ? 'b' : 'a' };
    if (list === 'none') return { tools: 'none' };
    if (list === 'pages') {
      const at = Number(cursor ?? 0);
      return { tools: tools.slice(at, at + 1), ...(at + 1 < tools.length ? { nextCursor: String(at + 1) } : {}) };
    }
    return { tools };
  },
  'tools/call': ({ name, arguments: args = {} }) => callOf(plan.as?.[name] ?? name)(args),
};
/** @type {Record<string, string>} */
const fates = { initialize, 'tools/list': list };

/** @param {string} line */
async function answer(line) {
  const message = JSON.parse(line);
  note(message);
  const { id, method, params = {} } = message;
  if (method === undefined) return waiting.get(id)?.(message);
  if (id === undefined || fates[method] === 'hang') return undefined;
  if (fates[method] === 'exit') return process.exit(7);
  if (fates[method] === 'error') return send({ id, error: { code: -32603, message: 'no such luck' } });
  const result = await methods[method]?.(params);
  return result === undefined ? undefined : send({ id, result });
}
createInterface({ input: process.stdin }).on('line', (line) => void answer(line));
