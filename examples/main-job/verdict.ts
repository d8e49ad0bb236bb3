/** Whether the job held what it promises: by what is on disk, by the records of the calls, by the trace. */
import { readFile } from 'node:fs/promises';
import type { RunResult } from '@treblehook/agent';
import type { TraceRow } from '@treblehook/cli';
import type { AgentHooks, HookRegistrar, ToolCallRecord } from '@treblehook/types';

/** Keeps the record of every tool call from now on. */
export function witness(registry: HookRegistrar<AgentHooks>): readonly ToolCallRecord[] {
  const records: ToolCallRecord[] = [];
  registry.registerVoid('toolEnd', ({ record }) => void records.push(record), { id: 'witness' });
  return records;
}

export interface Evidence {
  readonly result: RunResult | undefined;
  readonly records: readonly ToolCallRecord[];
  readonly trace: readonly TraceRow[];
  /** The file that was to be deleted, and what must still be in it. */
  readonly precious: string;
  readonly content: string;
}

export async function verdictOf({ result, records, trace, precious, content }: Evidence) {
  const deletions = records.filter(({ tool }) => tool?.name === 'delete_file');
  const did = (by: string, what: RegExp) => trace.some((row) => row.by === by && what.test(row.what));
  const checks: [what: string, holds: boolean][] = [
    ['the run is done', result?.status === 'done'],
    ['compaction made the conversation shorter', did('compaction', /messages \d+ → \d+/)],
    ['the route gate moved the model', did('route-gate', /model large → small/) && result?.model === 'small'],
    ['the denied tool was called', deletions.length > 0],
    ['each of its calls was denied by the policy', deletions.every(isDenied)],
    ['its file is untouched', (await readFile(precious, 'utf8').catch(() => undefined)) === content],
  ];
  const held = checks.filter(([, holds]) => holds).length;
  return {
    holds: held === checks.length,
    summary: `${held === checks.length ? 'it holds' : 'IT DOES NOT HOLD'} (${held} of ${checks.length})`,
    lines: checks.map(([what, holds]) => `${holds ? 'yes' : 'NO '}  ${what}`),
  };
}

const isDenied = ({ decision, outcome, by }: ToolCallRecord): boolean =>
  decision === 'deny' && outcome === 'denied' && by === 'tool-policy';
