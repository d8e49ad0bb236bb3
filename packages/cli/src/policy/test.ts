/** `treblehook policy test`: cases of calls with the answer that a policy should give. */
import { dirname, resolve } from 'node:path';
import { readConfigFile } from '@treblehook/host';
import { rulesIn } from '@treblehook/plugin-tool-policy';
import { Setting, type JsonValue, type Locate } from '@treblehook/types';
import { exitCodes, fileFrom, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { UsageError } from '../usage-error.js';
import { declaredKeys, readDeclared, type Declared } from './declared.js';
import { judgeOf, policedCall, RefusedArguments, strangerNotice, type Judge, type PolicyFlags } from './judge.js';
import { wordOf, type Word } from './report-text.js';

export interface TestFlags extends PolicyFlags {
  readonly cases: string;
}

/** What the policy says, or `refused`: the tool takes no such arguments, and no guard is asked. */
type Outcome = Word | 'refused';

interface Case {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonValue;
  readonly personality?: string;
  /** Of a tool that is not known here. */
  readonly declared?: Declared;
  readonly expect: Outcome;
  /** A rule that the verdict has to name. */
  readonly rule?: string;
  /** `:line:column` of the case. */
  readonly at: string;
  readonly place: Setting;
}

interface CaseFile {
  /** From the file's folder. */
  readonly policy?: string;
  readonly cases: readonly Case[];
}

/** One case, and what came of it. */
export interface CaseResult {
  readonly name: string;
  readonly at: string;
  readonly passed: boolean;
  readonly expected: Outcome;
  readonly got: Outcome;
  readonly rule?: string;
  readonly why?: string;
  /** Of a tool that the command line does not have: what is not known of it, and which may be meant. */
  readonly notice?: string;
}

export async function testPolicy(flags: TestFlags, io: Io): Promise<number> {
  const file = fileFrom(io, flags.cases);
  const { value, locate } = await readConfigFile(file);
  const given = readCases(value, locate);
  const policy = flags.policy ?? (given.policy && resolve(io.cwd, dirname(file), given.policy));
  if (policy === undefined) new Setting(value, locate).lacks('policy', 'name the policy file, here or by --policy');
  const judge = await judgeOf({ ...flags, policy }, io);
  const results: CaseResult[] = [];
  for (const one of given.cases) results.push({ ...(await resultOf(one, judge)), at: `${file}${one.at}` });
  const failed = results.filter(({ passed }) => !passed);
  const redact = redactor(io.env);
  for (const { at, notice } of results) {
    if (notice !== undefined) io.stderr.write(`treblehook: ${redact.text(oneLine(`${at}: ${notice}`))}\n`);
  }
  if (flags.json) {
    const document = { passed: results.length - failed.length, failed: failed.length, cases: results };
    io.stdout.write(`${jsonText(redact.data(document), 2)}\n`);
  } else {
    for (const { at, name, why } of failed) io.stdout.write(`${redact.text(oneLine(`${at} ${name}: ${why!}`))}\n`);
    io.stdout.write(`${results.length - failed.length} passed, ${failed.length} failed\n`);
  }
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function resultOf(one: Case, judge: Judge): Promise<Omit<CaseResult, 'at'>> {
  const { name, expect, rule } = one;
  const call = await callOf(one, judge);
  const verdict = call instanceof RefusedArguments ? undefined : (await judge.policyFor(call.personality)).decide(call);
  const got = call instanceof RefusedArguments ? 'refused' : wordOf(verdict);
  const named = verdict === undefined ? [] : rulesIn(verdict.rule);
  const by =
    call instanceof RefusedArguments ? `: ${call.message}` : verdict === undefined ? '' : ` by ${verdict.rule}`;
  const why =
    got !== expect
      ? `expected ${expect}, got ${got}${by}`
      : rule !== undefined && !named.includes(rule)
        ? `expected rule ${rule}, got ${verdict?.rule ?? 'none'}`
        : undefined;
  const notice = call instanceof RefusedArguments ? undefined : strangerNotice(judge, call);
  return {
    name,
    passed: why === undefined,
    expected: expect,
    got,
    ...(verdict && { rule: verdict.rule }),
    ...(why !== undefined && { why }),
    ...(notice !== undefined && { notice }),
  };
}

/** Arguments that the tool refuses are an outcome; a case that cannot be meant is refused. */
const callOf = (one: Case, judge: Judge): Promise<RefusedArguments | Awaited<ReturnType<typeof policedCall>>> =>
  policedCall(judge, one).catch((error: unknown) => {
    if (error instanceof RefusedArguments) return error;
    if (!(error instanceof UsageError)) throw error;
    return one.place.refuse(`the case '${one.name}': ${error.message}`);
  });

function readCases(value: unknown, locate: Locate): CaseFile {
  const whole = new Setting(value, locate);
  const { policy, cases } = whole.fields(['policy', 'cases']);
  if (cases === undefined) return whole.lacks('cases', 'write a list of { tool, args, expect }');
  const items = cases.items();
  if (items.length === 0) cases.refuse("'cases' is an empty list: write at least one { tool, args, expect }");
  return { ...(policy && { policy: policy.text() }), cases: items.map(readCase) };
}

const caseKeys = ['name', 'tool', 'args', 'personality', ...declaredKeys, 'expect', 'rule'] as const;
const outcomes: readonly Outcome[] = ['deny', 'ask', 'silent', 'refused'];

function readCase(item: Setting): Case {
  const { name, tool, args, personality, expect, rule, ...declares } = item.fields(caseKeys);
  if (tool === undefined) return item.lacks('tool', "name it, as 'read_file' or 'mcp:files/read'");
  if (expect === undefined) return item.lacks('expect', "write 'deny', 'ask', 'silent' or 'refused'");
  const declared = readDeclared(declares);
  const expected = outcomes.find((one) => one === expect.value);
  if (expected === undefined) {
    return expect.refuse(
      `${expect.name} is ${JSON.stringify(expect.value)}, which is neither 'deny', 'ask', 'silent' (nobody objects) nor 'refused' (the tool takes no such arguments): write one of them`,
    );
  }
  if (expected === 'refused')
    rule?.refuse("no rule is asked about arguments that the tool refuses: leave 'rule' out", 'key');
  return {
    name: name?.text() ?? `${tool.text()} ${JSON.stringify(args?.json() ?? {})}`,
    tool: tool.text(),
    args: args?.json() ?? {},
    expect: expected,
    ...(declared && { declared }),
    ...(personality && { personality: personality.text() }),
    ...(rule && { rule: rule.text() }),
    at: item.locate(item.path, 'value').at,
    place: tool,
  };
}
