/** `treblehook policy check`: reads policies, and says what in them can never match. */
import { idleRules } from '@treblehook/host';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { toldOf } from '../ending.js';
import { redactor } from '../redact.js';
import { judgeOf, type PolicyFlags } from './judge.js';

export interface CheckFlags extends Omit<PolicyFlags, 'policy'> {
  readonly file: string;
  readonly strict?: boolean | undefined;
}

export async function checkPolicy({ file, strict, ...flags }: CheckFlags, io: Io): Promise<number> {
  const judge = await judgeOf({ ...flags, policy: file }, io);
  const { layers, lifted } = await judge.policyFor(judge.personality);
  const named = judge.tools.map(({ name }) => ({ source: 'host', name }));
  const idle = layers.flatMap((layer) => idleRules(layer, named, []));
  const redact = redactor(io.env);
  const code = strict && idle.length > 0 ? exitCodes.wrongInput : exitCodes.done;
  const told = layers.map(({ name = 'operator', policy }) => {
    const { rules, mode = 'enforce', unknown = 'deny' } = policy;
    return { layer: name, rules: rules.length, mode, unknown };
  });
  if (flags.json) {
    io.stdout.write(`${jsonText(redact.data({ layers: told, lifted, warnings: idle.map(toldOf) }), 2)}\n`);
    return code;
  }
  for (const { message } of idle) {
    io.stderr.write(`treblehook: ${strict ? '' : 'warning: '}${oneLine(redact.text(message))}\n`);
  }
  for (const { layer, rules, mode, unknown } of told) {
    if (layer === 'default') continue;
    io.stdout.write(`${layer}: ${rules} ${rules === 1 ? 'rule' : 'rules'}, ${mode}; what cannot be told: ${unknown}\n`);
  }
  const asked = layers.filter(({ name }) => name === 'default').flatMap(({ policy }) => policy.rules);
  if (asked.length > 0) {
    const names = asked.flatMap(({ tools }) => tools).map((name) => String(name).replace(/^host\//, ''));
    io.stdout.write(`default: asks about ${names.join(', ')}, which the policy does not name\n`);
  }
  if (lifted.length > 0) {
    const names = lifted.map(({ tool, by }) => `${tool} (${by === 'unlisted' ? by : `rule ${by}`})`).join(', ');
    io.stdout.write(`default: asks no more about ${names}: what the policy says of them holds alone\n`);
  }
  return code;
}
