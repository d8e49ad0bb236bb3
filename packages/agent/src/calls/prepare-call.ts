/** A call is resolved, checked and amended, up to the arguments that can be sealed. */
import { textOf } from '@treblehook/types';
import { endByFault, faultText } from './end-by-fault.js';
import { fireStep, type Step } from '../run/fire-step.js';
import { putRequest, requestOf } from './ask.js';
import { checkArgs } from './check-args.js';
import type { RunState } from '../run/run-state.js';
import { sealedArgs, seal } from '../door/seal.js';
import type { ToolCall } from './tool-call.js';
import { isPending, pendingFault, resultOf } from '../door/tool-result.js';
import { wireNameOf } from '../model/wire-name.js';

/** Leaves the call sealed, waiting because a stage says so, or over. */
export async function prepareCall(run: RunState, call: ToolCall, offered: readonly string[]): Promise<void> {
  const { name, tool } = call;
  if (tool === undefined || !offered.includes(tool.name)) {
    const names = offered.map((one) => `'${wireNameOf(one)}'`).join(', ');
    const there = names === '' ? 'no tools are offered' : `the tools are ${names}`;
    return call.end('error', `unknown-tool: there is no tool '${name}': ${there}`, 'unknown-tool');
  }
  if (call.fault !== undefined) {
    return call.end('error', `the arguments of '${name}' ${call.fault}`, 'arguments');
  }
  await checkArgs(run, call, 'the arguments');
  if (call.isOver) return;
  const isAmended = await amend(run, call);
  if (call.isOver) return;
  if (isAmended) await checkArgs(run, call, 'the arguments as hooks have amended them');
  if (call.isOver) return;
  try {
    call.sealed = seal(tool.identity, call.checked);
    call.args = call.sealed.args;
  } catch (error) {
    return call.end('error', textOf(error), 'arguments');
  }
  if (call.proposed !== undefined) call.takeProposal();
  if (call.held !== undefined) await putRequest(run, call, 'stage', requestOf(run, call.held));
}

const notRun = 'the call was not run';

/** Says whether the arguments were amended. */
async function amend(run: RunState, call: ToolCall): Promise<boolean> {
  const { name, args } = call;
  let step: Step<'beforeTool'>;
  try {
    step = await fireStep(run, 'beforeTool', { origin: run.origin, ...call.origin, name, args });
  } catch (error) {
    endByFault(call, error, 'beforeTool', notRun);
    return false;
  }
  const { amended, by } = step;
  const { error: refusal, result, args: given } = amended;
  if (refusal !== undefined) {
    call.deny(`refused by '${by?.id ?? 'a hook'}': ${refusal}`, refusal, by);
    return false;
  }
  if (result !== undefined) {
    const fault = isPending(result) ? pendingFault(result) : undefined;
    if (fault !== undefined) {
      const who = by?.id ?? 'a hook';
      call.end('error', faultText(who, 'beforeTool', notRun), `what '${who}' waits for ${fault}`, by?.id);
      return false;
    }
    call.suppliedBy = by?.id;
    if (isPending(result)) call.held = result.pending;
    else call.supplied = resultOf(result, `'${by?.id ?? 'a hook'}'`);
  }
  if (given === undefined) return false;
  try {
    call.args = sealedArgs(name, given);
  } catch (error) {
    call.end('error', textOf(error), 'arguments');
  }
  return true;
}
