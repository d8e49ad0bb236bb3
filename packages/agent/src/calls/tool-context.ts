/** What a body is given: its call, and the ways back into the run, which are shut behind its end. */
import { HookError, type JsonValue, type ToolContext } from '@treblehook/types';
import { pluginOf } from '../door/tool-origin.js';
import type { RunState } from '../run/run-state.js';
import type { ToolCall } from './tool-call.js';

type Fire = ToolContext['fire'];

/** It inherits nothing. It is open while it is what runs of the call: another start of the body has another one. */
export function contextOf(run: RunState, call: ToolCall): ToolContext {
  const { answer } = call;
  const isOpen = (): boolean => call.running === ctx;
  let fire: Fire | undefined;
  const members = {
    signal: run.abort.signal,
    callId: call.origin.callId,
    origin: run.origin,
    callTool: (name: string, args: JsonValue) =>
      isOpen() ? run.nest(run, call, name, args) : Promise.reject(over(call, 'call other tools')),
    // few read it
    get fire() {
      return (fire ??= fireOf(run, call, isOpen));
    },
    ...(answer === undefined ? {} : { answer }),
  };
  // as `ownFields` makes one, which would read what is to be made when it is read
  const ctx: ToolContext = Object.freeze(Object.setPrototypeOf(members, null) as ToolContext);
  return ctx;
}

/** The points of the plugin whose tool it is, as the run's own caller would fire them. */
function fireOf(run: RunState, call: ToolCall, isOpen: () => boolean): Fire {
  const { source } = call.tool!.identity;
  const plugin = pluginOf(source);
  const caller: Fire | undefined = plugin === undefined ? undefined : run.until(run.abort.signal, plugin);
  const open = (hook: string): Fire => {
    if (!isOpen()) throw over(call, 'fire');
    if (caller !== undefined) return caller;
    throw new HookError('TH_NOT_YOURS', {
      hook: String(hook),
      handlerId: call.name,
      owner: source === 'host' ? source : undefined,
    });
  };
  const firing =
    (kind: 'fireVoid' | 'fireModifying' | 'fireClaiming') =>
    (hook: string, payload: unknown): Promise<never> => {
      try {
        return open(hook)[kind](hook, payload) as Promise<never>;
      } catch (error) {
        return Promise.reject(error);
      }
    };
  return Object.freeze({
    fireVoid: firing('fireVoid'),
    fireModifying: firing('fireModifying'),
    fireClaiming: firing('fireClaiming'),
    hasHandlers: (hook: string) => open(hook).hasHandlers(hook),
    generation: (hook: string) => open(hook).generation(hook),
  });
}

const over = ({ name }: ToolCall, what: string): HookError =>
  new HookError('TH_DISPOSED', { what: `the ctx of a call of '${name}'`, mend: `${what} while the body runs` });
