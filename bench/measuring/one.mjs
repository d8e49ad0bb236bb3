// Owns one process of the bench: one contender of one question, checked, then measured. Plain JavaScript under plain
// node: what is timed is what is written here, with no loader in between. Prints one JSON line.
import { bytes, nanoseconds, whole } from './measure.mjs';

const [room = '', file = '', question = '', name = '', unit = '', ms = '200'] = process.argv.slice(2);
/** @type {{ cases: Record<string, Record<string, () => any>> }} */
const { cases } = await import(new URL(`../${room}/cases/${file}.mjs`, import.meta.url).href);
const make = cases[question]?.[name];
if (make === undefined) throw new Error(`${room}/cases/${file}.mjs has no '${name}' for '${question}'`);

const contender = await make();
await contender.check?.();
const value =
  'value' in contender
    ? await whole(contender, Number(ms))
    : unit === 'B'
      ? await bytes(contender, Math.max(1, Math.round(Number(ms) * 1_000)))
      : await nanoseconds(contender, Number(ms));
process.stdout.write(`${JSON.stringify({ value })}\n`);
