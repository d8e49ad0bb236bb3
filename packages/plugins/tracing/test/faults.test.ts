// Owns what a bad collector costs: some spans, one warning, and no run.
import { testHost } from '@treblehook/testing';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from '../src/index.js';
import { collector, type Collector } from './collector-server.js';

let sink: Collector | undefined;
afterEach(() => sink?.close());

async function run(endpoint: string) {
  const logged: { level: string; message: string }[] = [];
  const { agent, close, faults } = await testHost({
    plugins: [{ plugin, config: { endpoint, headers: { authorization: 'Bearer k1-secret' }, timeoutMs: 300 } }],
    onLog: (entry) => void logged.push(entry),
    onWarning: (warning) => void logged.push({ level: 'host', message: warning.message }),
  });
  const { status } = await agent.run('go');
  const began = performance.now();
  await close();
  return { status, faults, logged, closedMs: performance.now() - began };
}

describe('a collector', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['that answers 500', (response) => void response.writeHead(500).end('no')],
    [
      'that answers 503 and says to come again',
      (response) => void response.writeHead(503, { 'retry-after': '60' }).end(),
    ],
    ['that answers garbage', (response) => void response.writeHead(200).end('<html>not json')],
    ['that breaks off', (response) => void response.destroy()],
    ['that never answers', () => {}],
    ['that never ends its answer', (response) => void response.writeHead(200).write('{')],
  ])('%s harms no run, and the host closes in time', async (_, answer) => {
    sink = await collector(answer);
    const { status, faults, logged, closedMs } = await run(sink.url);
    expect(status).toBe('done');
    expect(faults).toEqual([]);
    expect(closedMs).toBeLessThan(1_500);
    expect(sink.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(logged)).not.toContain('k1-secret');
    expect(logged.filter(({ level }) => level === 'host')).toEqual([]);
  });

  it('that is not there harms no run', async () => {
    const gone = await collector();
    await gone.close();
    const { status, faults, closedMs } = await run(gone.url);
    expect(status).toBe('done');
    expect(faults).toEqual([]);
    expect(closedMs).toBeLessThan(1_500);
  });
});

describe('config', () => {
  it.each([
    [undefined, /'endpoint' is missing/],
    [{}, /'endpoint' is missing.*4318/],
    [{ endpoint: 'localhost:4318' }, /no http URL/],
    [{ endpoint: 'http://x', endpiont: 1 }, /did you mean 'endpoint'/],
    [{ endpoint: 'http://x', sampleRatio: 2 }, /from 0 to 1/],
    [{ endpoint: 'http://x', timeoutMs: 0 }, /from 1 to 60000/],
    [{ endpoint: 'http://x', content: 'no' }, /true or false/],
    [{ endpoint: 'http://x', headers: { 'a b': 'k1-secret' } }, /no name of a header/],
    [{ endpoint: 'http://x', headers: { a: 'k1-secret\nx: y' } }, /control character/],
    [{ endpoint: 'http://x', headers: 'authorization=k1-secret' }, /write a map/],
  ])('%j is refused, and shows no header', async (config, words) => {
    const made = testHost({ plugins: [{ plugin, config }] });
    await expect(made).rejects.toThrow(words);
    await expect(made).rejects.not.toThrow(/k1-secret/);
  });
});

it('what it registers is what its manifest declares, and each of its settings is read', async () => {
  const { hooks, tools, config } = manifest.treblehook;
  const every = {
    endpoint: 'http://127.0.0.1:9',
    headers: {},
    serviceName: 'a',
    content: true,
    sampleRatio: 0,
    timeoutMs: 1,
  };
  const { failed, close } = await testHost({ plugins: [{ plugin, config: every, declared: { hooks, tools } }] });
  await close();
  expect(failed).toEqual([]);
  expect(Object.keys(config.properties)).toEqual(Object.keys(every));
});
