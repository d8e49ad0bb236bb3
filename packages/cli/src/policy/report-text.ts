/** What a policy says of a call, as text. */
import { fullName } from '@treblehook/plugin-tool-policy';
import type {
  CommandReading,
  PolicedCall,
  PolicyReport,
  PolicyVerdict,
  RuleReport,
} from '@treblehook/plugin-tool-policy';
import { visible } from '../visible.js';
import { commandLines } from '../effects-text.js';
import { oneLine } from '../io.js';
import type { Style } from '../table.js';

/** `deny`, `ask` or `silent`. */
export type Word = 'deny' | 'ask' | 'silent';
export const wordOf = (verdict: PolicyVerdict | undefined): Word =>
  verdict === undefined ? 'silent' : 'deny' in verdict ? 'deny' : 'ask';

const said: Readonly<Record<Word, string>> = { deny: 'denied', ask: 'asked about', silent: 'passed in silence' };

/** `isUnknown`: nobody has the tool, so that the name is perhaps misspelt. */
export function reportLines(
  call: PolicedCall,
  { verdict, dryRun, rules }: PolicyReport,
  readings: readonly CommandReading[],
  isUnknown: boolean,
  title: Style = (text) => text,
): readonly string[] {
  const by = verdict === undefined ? '' : ` by ${verdict.rule}`;
  const lines = [
    `${title(fullName(call.tool))} ${JSON.stringify(call.args)}: ${isUnknown ? 'there is no such tool here; one of that name is ' : ''}${said[wordOf(verdict)]}${by}`,
    ...(verdict === undefined
      ? []
      : [`  ${'deny' in verdict ? `told to the model: ${verdict.deny}` : `asked: ${verdict.ask}`}`]),
    ...(verdict !== undefined && 'halt' in verdict ? ['  it ends the run'] : []),
    ...(dryRun === undefined
      ? []
      : [`  a rehearsed layer would have ${said[wordOf(dryRun)].replace(' in silence', '')} it, by ${dryRun.rule}`]),
    ...readings.flatMap((reading) => commandLines(reading).map((line) => `  ${line}`)),
    ...(rules.length === 0 ? ['  no rule is about this tool for this personality'] : rules.flatMap(ruleLines)),
  ];
  return lines.map((line) => `${/^ */.exec(line)![0]}${oneLine(visible(line))}`);
}

function ruleLines({ rule, decision, tests, matches, unknown, dryRun }: RuleReport): readonly string[] {
  const how = unknown === undefined ? (matches ? 'matches' : 'does not match') : 'it cannot be told, and so counts';
  return [
    `  ${rule} (${decision}${dryRun ? ', rehearsed' : ''}): ${how}`,
    ...tests.map(
      ({ on, holds, unknown: why, never }) =>
        `    ${on} ${why === undefined ? (holds ? 'holds' : `does not hold${never === undefined ? '' : `, ever: ${never}`}`) : `is not known: ${why}`}`,
    ),
  ];
}
