/** One reply to one prompt: the calls of the next step, or the answer. Pure. */
import type { ModelCallOptions, ModelTool } from '@treblehook/types';
import { findingsText, firstLine, fromConversation, reportOf, selfText } from './answer.js';
import { ordersIn } from './command.js';
import { findingsOf, nextCalls, type Call } from './explore.js';
import { viewOf } from './prompt-view.js';
import { stableKey } from './stable-key.js';
import { anyValue, rolesOf, schemaOf } from './tool-roles.js';
import { topicOf } from './words.js';

export interface Reply {
  readonly calls: readonly (Call & { readonly id: string })[];
  /** Empty when there are calls. */
  readonly text: string;
}

export interface ReplyLimits {
  /** Files that are read for one question. */
  readonly maxReads: number;
  /** Tool calls for one question. */
  readonly maxCalls: number;
}

const smallTalk =
  /^\W*(?:hi|hello|hey|howdy|good (?:morning|afternoon|evening)|thanks?|thank you|bye|goodbye)\b[\s\w,]{0,20}\W*$/i;
const aboutSelf = /\b(?:who|what) are you\b|\bwhat can you do\b/i;

export function replyTo({ prompt, tools: offered = [], toolChoice }: ModelCallOptions, limits: ReplyLimits): Reply {
  const tools = toolChoice?.type === 'none' ? [] : offered;
  const view = viewOf(prompt);
  const roles = rolesOf(tools);
  const { question } = view;
  const make = (calls: readonly Call[]): Reply => ({
    calls: calls.map((call, at) => ({ ...call, id: `offline-${view.lastId + at + 1}-${view.calls + at + 1}` })),
    text: '',
  });
  const left = limits.maxCalls - view.calls;
  const made = new Set(view.done.map(({ key }) => key));
  const isNew = ({ tool, input }: Call): boolean => !made.has(stableKey(tool, input));

  const forced = forcedCall(toolChoice, tools, question, view.done.length);
  if (forced !== undefined) return make([forced]);
  if (question === '' || smallTalk.test(question) || aboutSelf.test(question)) {
    return say([
      selfText(
        roles,
        tools.map(({ name }) => name),
      ),
    ]);
  }
  const orders = ordersIn(question, tools);
  const ordered = left > 0 ? orders.commands.filter(isNew) : [];
  if (ordered.length > 0) return make(ordered.slice(0, 1));

  const done = new Set(orders.commands.map(({ tool, input }) => stableKey(tool, input)));
  const blocks = [...reportOf(view.done.filter(({ key }) => done.has(key))), ...orders.refusals];
  if (orders.rest === '') return say(blocks);
  if (roles.list === undefined && roles.read === undefined && roles.search === undefined) {
    const other = view.done.filter(({ key }) => !done.has(key));
    return say([...blocks, ...reportOf(other), ...fromConversation(view, topicOf(orders.rest))]);
  }
  const found = findingsOf(view, orders.rest, roles);
  const next = left > 0 ? nextCalls(view, orders.rest, roles, found, limits.maxReads).slice(0, left) : [];
  if (next.length > 0) return make(next);
  const stopped = left <= 0 ? [`Stopped after ${view.calls} tool calls, the most for one question.`] : [];
  return say([...blocks, ...findingsText(view, found, roles), ...stopped]);
}

const say = (blocks: readonly string[]): Reply => ({ calls: [], text: [firstLine, ...blocks].join('\n\n') });

/** A call that the request demands; only the first one since the question, so that it ends. */
function forcedCall(
  choice: ModelCallOptions['toolChoice'],
  tools: readonly ModelTool[],
  question: string,
  done: number,
): Call | undefined {
  if (done > 0 || choice === undefined || choice.type === 'auto' || choice.type === 'none') return undefined;
  const tool = choice.type === 'tool' ? tools.find(({ name }) => name === choice.toolName) : tools[0];
  if (tool === undefined) return undefined;
  const { commands } = ordersIn(`${tool.name} ${question}`, [tool]);
  if (choice.type === 'required' && ordersIn(question, tools).commands.length > 0)
    return ordersIn(question, tools).commands[0];
  if (commands.length > 0) return commands[0];
  const { properties, required } = schemaOf(tool);
  return {
    tool: tool.name,
    input: Object.fromEntries(required.map((name) => [name, anyValue(properties[name]) ?? question])),
  };
}
