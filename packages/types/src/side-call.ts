/** A model call that a handler makes by `ctx.callModel`. */
import type { ModelSettings } from './hooks-llm.js';
import type { Message } from './message.js';
import type { ModelFinishReason, ModelUsage } from './model-port.js';

export interface SideCallRequest {
  /** A front system text included, when there is to be one. */
  readonly messages: readonly Message[];
  /** A key of the agent's models. Default: the agent's own; the route gate decides all the same. */
  readonly model?: string;
  readonly settings?: ModelSettings;
}

export interface SideCallAnswer {
  readonly text: string;
  readonly message: Message;
  /** The model that was called. */
  readonly model: string;
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelUsage;
}
