// What guards ask about is told from what else may be called an approval.
import { describe, expect, it } from 'vitest';
import { approvalOf, type ApprovalData } from '../src/index.js';

const data: ApprovalData = {
  tool: { source: 'host', name: 'pay', digest: 'd' },
  args: { euros: 12 },
  digest: 'e',
  asks: [{ guard: 'policy', rule: '#1', question: 'may it?' }],
};

describe('an approval', () => {
  it('is the data of a request of its kind', () => {
    expect(approvalOf({ kind: 'approval', data })).toBe(data);
    expect(approvalOf({ kind: 'approval', data: { ...data, asks: [] } })).toBeDefined();
    expect(approvalOf({ kind: 'approval', data: { ...data, args: null } })).toBeDefined();
    expect(approvalOf({ kind: 'question', data })).toBeUndefined();
    expect(approvalOf({ kind: 'approval' })).toBeUndefined();
  });

  it.each(['tool', 'args', 'digest', 'asks'] as const)('is none without %s', (key) => {
    expect(approvalOf({ kind: 'approval', data: { ...data, [key]: undefined } })).toBeUndefined();
    const inherited = Object.assign(Object.create({ [key]: data[key] }) as object, { ...data, [key]: undefined });
    expect(approvalOf({ kind: 'approval', data: inherited })).toBeUndefined();
  });

  it.each([
    ['a tool without a digest', { tool: { source: 'host', name: 'pay' } }],
    ['a tool that is a name', { tool: 'pay' }],
    ['asks that are none', { asks: [{ guard: 'policy' }] }],
    ['a list of nothing', { asks: [null] }],
    ['a rule that is no text', { asks: [{ guard: 'policy', question: 'q', rule: 1 }] }],
  ])('is none with %s', (_, wrong) => {
    expect(approvalOf({ kind: 'approval', data: { ...data, ...wrong } })).toBeUndefined();
  });
});
