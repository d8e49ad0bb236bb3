import { test } from 'vitest';
import { fire, registryOf, hear, names, register } from '../support/points.js';
import { fold } from '../../src/index.js';
test('x', async () => {
  for (const n of names) { const r = registryOf(); const t = hear(r, 'fired'); const p = { text: 'a', list: [{}] }; await fire(r, n, p); console.log(n, t.length, t[0] && [Object.isFrozen(t[0].payload), t[0].payload === p, Object.isFrozen(p)]); }
  const ring: any = { text: 'a' }; ring.meta = ring;
  const r = registryOf(); hear(r, 'fired'); try { await fire(r, 'seen', ring); console.log('ok ring'); } catch (e: any) { console.log('ring', e.code); }
  const into: any = { a: 1, l: [1] };
  console.log(JSON.stringify([fold(into, { a: null, b: undefined, c: 0, l: [2] } as any, ['l'] as any), into]));
  const g = registryOf(); register(g, 'may', () => ({ deny: 'x', rule: 'r' })); console.log(JSON.stringify(await fire(g, 'may')));
});
