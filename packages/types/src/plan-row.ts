/** One row of a plan: who stands where, and why. */
import type { Discipline, FieldKind, HookModel, PayloadKind } from './hook-point.js';

export interface PlanEdge {
  readonly kind: 'before' | 'after';
  readonly id: string;
  /** `inert`: nobody has that id. `void`: it contradicts the list, and the list wins. */
  readonly state: 'held' | 'inert' | 'void';
}

export interface PlanRow {
  /** Full id. */
  readonly id: string;
  /** `host` or a plugin id. */
  readonly owner: string;
  /** The entry of the order list that seats it. */
  readonly entry: string;
  /** Why it stands there, in words. */
  readonly why: string;
  readonly edges: readonly PlanEdge[];
  /** Keys that are final behind this handler. */
  readonly locks: readonly string[];
  /** Left out by the allowlist. */
  readonly silenced: boolean;
  /** Budget of one awaited call, ms; `undefined`: the caller's signal alone ends it. */
  readonly budgetMs: number | undefined;
  readonly onError: 'isolate' | 'abort' | 'deny';
}

/** One hook point as `describe()` shows it: no functions, no payloads. */
export interface PointDescription {
  readonly name: string;
  readonly model: HookModel;
  readonly discipline: Discipline;
  readonly summary: string;
  readonly fields: Readonly<Record<string, PayloadKind>> | undefined;
  /** Of an answer, those of its discipline included. */
  readonly keys: Readonly<Record<string, FieldKind>>;
  readonly collect: readonly string[];
  readonly replaces: Readonly<Record<string, string>>;
  readonly terminal: readonly string[];
  readonly hostKeys: readonly string[];
  readonly firedBy: string | undefined;
  readonly owner: string | undefined;
  readonly aka: readonly string[];
  /** The list in force. */
  readonly order: readonly string[];
  readonly locks: Readonly<Record<string, readonly string[]>>;
  /** All live handlers in order; an allowlist silences some. */
  readonly plan: readonly PlanRow[];
}
