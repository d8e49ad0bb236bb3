/** Types and values of one hook point, for tests of a handler by itself. */
import type { AgentHooks, AnswerOf, Catalogue, Checked, PayloadOf } from '@treblehook/types';

/** What a handler of this point gets; `Own` are the points of the plugin, `typeof myHooks`. */
export type PayloadAt<K extends keyof (AgentHooks & Own), Own extends Catalogue = {}> = PayloadOf<AgentHooks & Own, K>;
/** What a handler of this point may return. */
export type AnswerAt<K extends keyof (AgentHooks & Own), Own extends Catalogue = {}> = AnswerOf<AgentHooks & Own, K>;

/**
 * `expectAnswer<'beforeLLM'>()(answer)` gives the answer back, and compiles only if that point takes it: a misspelt key, or
 * one of another point, is an error of the compiler.
 */
export const expectAnswer =
  <K extends keyof (AgentHooks & Own), Own extends Catalogue = {}>() =>
  <const A>(answer: A & Checked<A, AnswerAt<K, Own>>): A =>
    answer;
