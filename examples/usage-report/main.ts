/** What each run used is sent to a collector when it is over: `agentDone` fires on every ending, failed ones too. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import { definePlugin } from '@treblehook/types';

const usageReport = (collector: string) =>
  definePlugin({
    id: 'usage-report',
    setup({ hooks }) {
      hooks.registerVoid(
        'agentDone',
        async ({ origin, status, turnCount, usage }, { signal }) => {
          const { inputTokens, outputTokens } = usage;
          const report = {
            session: origin.sessionId,
            status,
            turnCount,
            in: inputTokens.total,
            out: outputTokens.total,
          };
          await fetch(collector, { method: 'POST', body: JSON.stringify(report), signal });
        },
        { id: 'send', timeoutMs: 2_000 }, // Void: a collector that is down or slow harms no run
      );
    },
  });

const collector = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    console.log(`collected: ${body}`);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const { port } = collector.address() as AddressInfo;

const { agent, close } = await createHost({
  model: scriptedModel([{ text: 'Good morning.', usage: { input: 120, output: 8 } }, new Error('the model is down')]),
  personality: { id: 'default', plugins: ['usage-report'] },
  plugins: [usageReport(`http://127.0.0.1:${port}`)],
});
await agent.session('ann').run('Good morning!');
await agent.session('bob').run('Good morning!');
await close();
collector.close();
collector.closeAllConnections();
