/** Calls a server and closes; it ends only if nothing holds it. Run by its test, from source. */
import { connectMcp, type McpServerSettings } from '../src/index.js';

const server = JSON.parse(process.argv[2]!) as McpServerSettings;
const servers = await connectMcp({ s: server }, { onNotice: () => {} });
const echo = servers.tools.find(({ name }) => name === 'mcp:s/echo')!;
const ctx = { signal: new AbortController().signal, callId: 'call' } as Parameters<typeof echo.execute>[1];
console.log(((await echo.execute({ message: 'hi' }, ctx)) as { readonly output: string }).output);
await servers.close();
console.log('closed');
