/** Laws of `endedBy`: an amendment says who ended its pipeline, a claim whose it is, to whoever holds the thing itself. */
import { expect, test } from 'vitest';
import { endedBy, frozen } from '../../src/index.js';
import { fire, register, registryOf } from '../support/points.js';

async function shaped(...answers: object[]): Promise<any> {
  const registry = registryOf();
  for (const [at, answer] of answers.entries()) register(registry, 'shape', () => answer, { id: `h${at}` });
  return fire(registry, 'shape');
}

test('is the handler whose terminal key ended the pipeline, not the last one that amended', async () => {
  const amended = await shaped({ text: 'b' }, { stop: 'no', text: 'c' }, { text: 'd' });
  expect(endedBy(amended)).toEqual({ hook: 'shape', id: 'h1', owner: 'host' });
});

test('is nobody when no terminal key was set, and for what no pipeline gave', async () => {
  expect(endedBy(await shaped({ text: 'b' }))).toBeUndefined();
  const other = registryOf();
  register(other, 'fill', () => ({ text: 'b' }));
  for (const one of [await fire(other, 'fill'), {}, frozen({ stop: 'no' }), () => 1]) {
    expect(endedBy(one)).toBeUndefined();
  }
});

test('is in no property: a copy and a proxy of the amendment do not know it', async () => {
  const amended = await shaped({ stop: 'no' });
  expect(Object.isFrozen(amended)).toBe(true);
  expect(Object.keys(amended)).toEqual(['stop']);
  expect([endedBy({ ...amended }), endedBy(new Proxy(amended, {}))]).toEqual([undefined, undefined]);
});

test('is the handler whose claim it is, and nobody where nobody claimed', async () => {
  const registry = registryOf();
  register(registry, 'pick', () => undefined, { id: 'first' });
  expect(endedBy(await fire(registry, 'pick'))).toBeUndefined();
  register(registry, 'pick', () => ({ handled: true, name: 'post' }), { id: 'second' });
  expect(endedBy(await fire(registry, 'pick'))).toEqual({ hook: 'pick', id: 'second', owner: 'host' });
});
