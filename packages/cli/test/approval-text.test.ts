// A request as a person reads it: what guards ask about has its call, anything else is shown as it was given.
import type { Request } from '@treblehook/types';
import { expect, test } from 'vitest';
import { requestLines } from '../src/approval-text.js';

test('a question of a stage that calls itself an approval is shown as the question that it is', () => {
  const request: Request = { id: 'r', kind: 'approval', prompt: 'Shall it?', data: { euros: 12 } };
  expect(requestLines(request)).toEqual(['Shall it?', '{', '  "euros": 12', '}']);
});
