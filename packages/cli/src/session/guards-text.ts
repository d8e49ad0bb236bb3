/** What the guards said of a call, in one spelling for all that shows it. */
import { ruleName } from '@treblehook/plugin-tool-policy';
import type { ApprovalAsk, AskRecord, GuardVerdict, ToolCallRecord } from '@treblehook/types';

export interface GuardsSaid {
  readonly decision: ToolCallRecord['decision'];
  readonly verdicts: readonly GuardVerdict[];
  readonly asks: readonly Pick<AskRecord, 'guard' | 'rule'>[];
  /** What was put to whoever answers, and nothing has run since. */
  readonly waits: readonly Pick<ApprovalAsk, 'guard' | 'rule'>[];
  /** The guard that denied, and its rule. */
  readonly by?: string | undefined;
  readonly rule?: string | undefined;
}

/** None at all and three that passed are different facts. */
export function guardsText({ decision, verdicts, asks, waits, by, rule }: GuardsSaid): string {
  if (decision === undefined) {
    if (waits.length === 0) return 'guards: not asked';
    return `guards: ask (${waits.map(({ guard, rule: named }) => ruled(`${guard} ask`, named)).join(', ')})`;
  }
  const said = verdicts.map(({ by: { id }, verdict, kind }) => {
    const asked = asks.find(({ guard }) => guard === id)?.rule;
    const named = verdict === 'ask' ? asked : verdict === 'deny' && id === by ? rule : undefined;
    return `${ruled(`${id} ${verdict}`, named)}${kind === 'policy' ? '' : ` (${kind})`}`;
  });
  return `guards: ${decision} (${said.join(', ') || 'nobody sits there'})`;
}

const ruled = (guard: string, rule: string | undefined): string =>
  rule === undefined ? guard : `${guard}: rule ${ruleName(rule)}`;
