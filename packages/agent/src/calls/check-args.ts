/** Arguments against the schema of their tool. */
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';

/** Keeps the schema's output; ends the call when it refuses. */
export async function checkArgs(run: RunState, call: ToolCall, what: string): Promise<void> {
  let checked = call.tool!.check(call.args);
  if (checked instanceof Promise) checked = await run.abort.race(checked);
  if (checked.fault === undefined) {
    call.checked = checked.value;
    return;
  }
  call.end('error', `${what} of '${call.name}' do not fit its schema: ${checked.fault}`, 'arguments');
}
