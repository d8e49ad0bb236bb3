import { test } from 'vitest';
import { register, registryOf } from '../support/points.js';
test('x', async () => {
  for (const e of ['host/~1', 'acme/~2', '', '*', 5, 'a?', '~1', 'A b']) {
    try {
      register(registryOf(), 'seen', () => {}, { before: [e] });
      console.log('ok', e);
    } catch (x: any) {
      console.log(e, x.code, x.message);
    }
  }
});
