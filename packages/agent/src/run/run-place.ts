/** What a run is given from outside of its room: its session, and what bodies and handlers may ask of it. */
import type { JsonObject, JsonValue, SideCallAnswer, SideCallRequest, ToolResult } from '@treblehook/types';
import type { ToolCall } from '../calls/tool-call.js';
import type { ChildGrants } from '../session/child-grants.js';
import type { SessionGrants } from '../session/session-grants.js';
import type { SessionLog } from '../session/session-log.js';
import type { GivenRun } from './given-run.js';
import type { RunState } from './run-state.js';

/** What bodies and handlers may ask of a run. */
export interface Ports {
  /** Resolves with the result of a call that a body makes. */
  readonly nest: (run: RunState, parent: ToolCall, name: string, args: JsonValue) => Promise<ToolResult>;
  /** Resolves with the answer of a model call that a handler makes. */
  readonly callModel: (
    run: RunState,
    request: SideCallRequest,
    purpose: string,
    inHand: readonly string[],
  ) => Promise<SideCallAnswer>;
}

/** What a run has of its session. */
export interface RunPlace {
  readonly sessionId: string;
  readonly log: SessionLog;
  readonly grants: SessionGrants;
  /** Those of its open children. */
  readonly childGrants: ChildGrants;
  /** Of a run that is made before it begins. */
  readonly given: GivenRun | undefined;
  /** The host's, for the log alone. */
  readonly note: JsonObject | undefined;
}
