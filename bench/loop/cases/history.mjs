// Owns the questions of what a long history costs a run.
import { processorTime } from '../../measuring/measure.mjs';
import { onHistory } from '../ours.mjs';

/** The young generation is so large that nothing is collected meanwhile. */
const heapUsed = () => process.memoryUsage().heapUsed;

/** @param {() => number} now */
const long = (now) => ({ ours: onHistory(10_000, now), '10 messages': onHistory(10, now) });

export const cases = {
  'history-10k-time': long(processorTime),
  'history-10k-bytes': long(heapUsed),
};
