import { expect, it } from 'vitest';
import * as agent from '../src/index.js';
import * as testing from '../src/testing/index.js';

it('the package exports these names and no others', () => {
  expect(Object.keys(agent).toSorted()).toEqual([
    'chainHooks',
    'createAgent',
    'createRuntime',
    'memoryStore',
    'offlineModel',
    'readSession',
    'toolCallSteps',
  ]);
  expect(Object.keys(testing).toSorted()).toEqual(['deferred', 'manualClock', 'scriptedModel']);
});
