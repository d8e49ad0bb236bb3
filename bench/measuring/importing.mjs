// Owns how it is measured what a package costs to import.
import assert from 'node:assert/strict';
import { processorTime } from './measure.mjs';

/**
 * Milliseconds of the first import in a process.
 * @param {() => Promise<any>} load
 * @param {(module: any) => unknown} proof a function of the module
 * @returns {() => import('./contender.mjs').Whole}
 */
export const importing = (load, proof) => () => ({
  value: async () => {
    const began = processorTime();
    const module = await load();
    const ms = (processorTime() - began) / 1e6;
    assert.equal(typeof proof(module), 'function', 'it has been imported');
    return ms;
  },
});
