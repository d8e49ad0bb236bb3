/** The public names of `@treblehook/cli`: the command line as a function, the trace and the plan as tables. */
export type { RefusalDocument, RunDocument, Told } from './ending.js';
export { exitCodes } from './io.js';
export type { Io } from './io.js';
export { main } from './main.js';
export { planTables, pointTable } from './plan-table.js';
export type { PlanStyle } from './plan-table.js';
export type { SessionDocument } from './session/document.js';
export { recordTrace } from './trace.js';
export type { Trace, TraceRow } from './trace.js';
export { traceTable } from './trace-table.js';
