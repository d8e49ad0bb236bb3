/** `treblehook policy explain`: what a policy says of one call, rule by rule. */
import { readCommandsOf, type PolicedCall } from '@treblehook/plugin-tool-policy';
import type { JsonValue } from '@treblehook/types';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { UsageError } from '../usage-error.js';
import { declaredBy } from './declared.js';
import { isStranger, judgeOf, policedCall, strangerNotice, type Judge, type PolicyFlags } from './judge.js';
import { reportLines, wordOf } from './report-text.js';

export interface ExplainFlags extends PolicyFlags {
  readonly tool: string;
  readonly args?: string | undefined;
  /** What a tool that is not known here declares, as JSON. */
  readonly declares?: string | undefined;
}

export async function explainPolicy(flags: ExplainFlags, io: Io): Promise<number> {
  const judge = await judgeOf(flags, io);
  const declared = declaredBy(flags.declares);
  const call = await policedCall(judge, { tool: flags.tool, args: argsFrom(flags.args ?? '{}'), declared });
  const report = (await judge.policyFor(judge.personality)).explain(call);
  const redact = redactor(io.env);
  const commands = readCommandsOf(call);
  const notice = declared === undefined ? (strangerNotice(judge, call) ?? hintsNotice(judge, call)) : undefined;
  const isUnknown = declared === undefined && isStranger(judge, call);
  if (flags.json) {
    const document = { ...call, decision: wordOf(report.verdict), ...report, commands, ...(notice && { notice }) };
    io.stdout.write(`${jsonText(redact.data(document), 2)}\n`);
    return exitCodes.done;
  }
  if (notice !== undefined) io.stderr.write(`treblehook: ${redact.text(notice)}\n`);
  const { bold } = createColors(wantsColor(io.stdout, io.env));
  io.stdout.write(`${redact.text(reportLines(call, report, commands, isUnknown, bold).join('\n'))}\n`);
  return exitCodes.done;
}

/** Says of a tool of a server or of a plugin what it is taken for. */
function hintsNotice({ tools }: Judge, { tool: { source, name } }: PolicedCall): string | undefined {
  if (source === 'host' || tools.some((one) => one.name === name)) return undefined;
  return `nothing is known here of '${name}': it is judged by the worst hints (it changes and destroys, and reaches the world), and by none of its arguments as a path, a command or a URL; name its server by --mcp=<file.yaml>, or say what it declares by --declares '{"annotations":{"readOnlyHint":true},"paths":["path"]}'`;
}

function argsFrom(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError(
      `the arguments are no JSON (${(error as Error).message}): write them as '{"path":"a.md"}', in single quotes`,
    );
  }
}
