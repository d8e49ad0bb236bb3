// Owns the laws of files of settings: each fault is one line with file, line, column and the mend.
import { join } from 'node:path';
import { HookError } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { parseConfig, readConfigFile } from '../src/config-file.js';
import { loadPersonality, loadPolicy } from '../src/index.js';
import { folderWith } from './temp.js';

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(HookError);
    expect((error as HookError).code).toBe('TH_CONFIG_INVALID');
    expect((error as HookError).message).not.toContain('\n');
    return (error as HookError).message;
  }
  throw new Error('it was taken');
}
const policyIn = async (text: string) => {
  const dir = await folderWith({ 'p.yaml': text });
  return (await refusal(() => loadPolicy(join(dir, 'p.yaml')))).replace(`${dir}/`, '');
};
const personalityIn = async (text: string) => {
  const dir = await folderWith({ 'q.yaml': text });
  return (await refusal(() => loadPersonality(join(dir, 'q.yaml')))).replace(`${dir}/`, '');
};

describe('YAML and JSON', () => {
  it('say the same', async () => {
    const rules = [{ tools: 'x', when: { '/a/0': { in: [1, null, 'q'] } }, decision: 'deny', reason: 'no' }];
    const yaml =
      "rules:\n  - tools: x\n    when: { '/a/0': { in: [1, null, q] } }\n    decision: deny\n    reason: 'no'\n";
    const dir = await folderWith({ 'p.json': JSON.stringify({ rules }, null, '\t'), 'p.yaml': yaml });
    const policy = await loadPolicy(join(dir, 'p.json'));
    expect(policy).toEqual({ rules: [{ ...rules[0], tools: ['x'] }] });
    expect(await loadPolicy(join(dir, 'p.yaml'))).toEqual(policy);
  });

  it('may begin with a byte order mark and hold aliases', () => {
    expect(parseConfig('\uFEFFa: &x [1]\nb: *x', 'f').value).toEqual({ a: [1], b: [1] });
  });

  it.each([
    ['a: 1\na: 2\n', /^f:2:1: this key stands here twice: drop one$/],
    ['{"a": 1,\n "a": 2}', /^f:2:2: this key stands here twice/],
    ['reason: no: never', /^f:1:9: a text with ': ' in it needs quotes, .*: write it as "…"$/],
    ['a: [1\nb: 2', /^f:2:\d+: this is no valid YAML or JSON: /],
    ['a: !!js/function "x"', /^f:1:4: .*tags are not used here/],
    ['%YAML 1.1\n---\na: no', /^f:1:1: YAML 1\.1 is not read here, .*: leave '%YAML 1\.1' out$/],
    ['# a\n%YAML 1.1\n---\n<<: { a: 1:30 }', /^f:2:1: YAML 1\.1 is not read here/],
    ['%YAML 1.0\n---\na: no', /^f:1:\d+: /],
    ['a: 1\n---\nb: 2', /^f:2:1: a second document starts here/],
    ['a: *nobody', /^f:1:4: a text that begins with '\*' needs quotes: "\*nobody"$/],
    ['a: &x [1]\nb: [*x, *.env]', /^f:2:9: a text that begins with '\*' needs quotes: "\*\.env"$/],
    ['rules:\n- tools: *\n', /^f:2:10: a text that begins with '\*' needs quotes: "\*"$/],
    ['rules:\n- tools: [*_file, x] # *', /^f:2:11: a text that begins with '\*' needs quotes: "\*_file"$/],
    ['when: { /path: { glob: *.env } }', /^f:1:24: a text that begins with '\*' needs quotes: "\*\.env"$/],
  ])('%j is refused', async (text, message) => {
    expect(await refusal(() => parseConfig(text, 'f'))).toMatch(message);
  });

  it('that says that it is YAML 1.2 is read as that', () => {
    const { value } = parseConfig('%YAML 1.2\n---\na: no\nb: 1:30\n', 'f');
    expect(value).toEqual({ a: 'no', b: '1:30' });
  });

  it('a swarm of aliases is refused, not blown up', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(12).fill(`*l${at}`).join(', ')}]`,
    );
    expect(await refusal(() => parseConfig(`l0: &l0 [x]\n${levels.join('\n')}`, 'f'))).toMatch(
      /^f: Excessive alias count/,
    );
  });

  it('a file that is not there, a folder, a binary and a huge one are told apart', async () => {
    const dir = await folderWith({ 'bin.yaml': new Uint8Array([0xff, 0xfe, 0x00]), 'big.yaml': 'x'.repeat(1_100_000) });
    expect(await refusal(() => readConfigFile(join(dir, 'no.yaml')))).toMatch(/there is no such file: check the path$/);
    expect(await refusal(() => readConfigFile(dir))).toMatch(/this is no file: name a YAML or JSON file$/);
    expect(await refusal(() => readConfigFile(join(dir, 'bin.yaml')))).toMatch(
      /it is no UTF-8 text: save it as UTF-8$/,
    );
    expect(await refusal(() => readConfigFile(join(dir, 'big.yaml')))).toMatch(/1100000 bytes are too many/);
  });
});

describe('a policy file that is wrong', () => {
  it.each([
    [
      'a misspelt key',
      'rules:\n  - tools: x\n    decision: deny\n    resaon: no',
      /^p\.yaml:4:5: .*did you mean 'reason'\?$/,
    ],
    ['allow', 'rules:\n  - tools: x\n    decision: allow\n    reason: r', /^p\.yaml:3:15: there is no 'allow'/],
    ['a missing key', 'rules:\n  - tools: x\n    decision: deny', /^p\.yaml:2:5: 'reason' is missing in 'rules\[0\]'/],
    [
      'a key without a value',
      'rules:\n  - tools: x\n    reason:\n    decision: deny',
      /^p\.yaml:3:5: .* is empty: write a text$/,
    ],
    [
      'a bad pointer',
      "rules:\n- tools: x\n  decision: ask\n  reason: r\n  when:\n    path: { glob: '*' }",
      /^p\.yaml:6:5: 'path' is no JSON pointer/,
    ],
    ['a wrong item', 'rules:\n- tools: [a, 7]\n  decision: ask\n  reason: r', /^p\.yaml:2:14: .* is a number/],
    ['a list on top', '- a', /^p\.yaml:1:1: these are no rules yet: put 'rules:' above the list$/],
    ['an empty file', '', /^p\.yaml:1:1: there is nothing in it: write 'rules:' and a list of rules below/],
    ['a rule on top', 'id: r\ntools: x\ndecision: deny', /^p\.yaml:1:1: there is no 'id' here/],
    ['a text on top', 'deny', /^p\.yaml:1:1: the whole is a text: write a map$/],
    [
      'a personality',
      'id: reader\nsystem: x',
      /^p\.yaml:1:1: this looks like a personality: give it as the personality/,
    ],
    [
      'a text for a predicate',
      'rules:\n- tools: x\n  decision: deny\n  reason: r\n  when: { /path: "*.env" }',
      /^p\.yaml:5:18: 'rules\[0\]\.when\.\/path' is a text: write \{ glob: "\*\.env" \}, or \{ equals: … \}$/,
    ],
    [
      'a word of YAML 1.1 for true',
      'rules:\n- tools: x\n  decision: deny\n  reason: r\n  halt: yes',
      /^p\.yaml:5:9: 'halt' is the text "yes": write true, or leave it out$/,
    ],
    ['a fault behind an alias', 'rules: [&r { tools: x, decision: deny, reason: 7 }, *r]', /^p\.yaml:1:48: /],
    ['a number for a key', 'rules:\n- tools: x\n  decision: ask\n  reason: r\n  5: 6', /^p\.yaml:5:3: /],
  ])('%s is told with its line and column', async (_, text, message) => {
    expect(await policyIn(text)).toMatch(message);
  });
});

describe('a personality', () => {
  it('is read with its lists and budgets, and frozen', async () => {
    const dir = await folderWith({
      'q.yaml':
        'id: reader\nsystem: ""\nmodel: offline\nplugins: []\ntools: [read_*]\nbudgets: { steps: 3, wallMs: 1000 }',
    });
    const { personality } = await loadPersonality(join(dir, 'q.yaml'));
    expect(personality).toEqual({
      id: 'reader',
      system: '',
      model: 'offline',
      plugins: [],
      tools: ['read_*'],
      budgets: { steps: 3, wallMs: 1000 },
    });
    expect(
      Object.isFrozen(personality) && Object.isFrozen(personality.tools) && Object.isFrozen(personality.budgets),
    ).toBe(true);
  });

  it.each([
    ['no id', 'system: x', /^q\.yaml:1:1: 'id' is missing/],
    ['an id with a capital', 'id: Reader', /^q\.yaml:1:5: 'Reader' is no id/],
    ['limits', 'id: r\nlimits: { steps: 1 }', /^q\.yaml:2:1: there is no 'limits' here: did you mean 'budgets'\?$/],
    [
      'rules',
      'rules:\n- tools: x',
      /^q\.yaml:1:1: this looks like a policy: give it as the policy, not as the personality$/,
    ],
    ['a misspelt key', 'id: r\nplugin: [a]', /^q\.yaml:2:1: .*did you mean 'plugins'\?$/],
    ['another', 'id: r\ntool: a', /^q\.yaml:2:1: there is no 'tool' here: did you mean 'tools'\?$/],
    ['a key like no other', 'id: r\nskills: [a]', /: use one of id, system, model, plugins, tools, policy, budgets$/],
    ['system that is a list', 'id: r\nsystem: [a]', /^q\.yaml:2:9: 'system' is no text/],
    ['plugins that are a text', 'id: r\nplugins: a', /^q\.yaml:2:10: 'plugins' is a text: write a list$/],
    ['a budget of nothing', 'id: r\nbudgets:\n  steps: 0', /^q\.yaml:3:10: 'budgets\.steps' is no whole number from 1/],
    ['a misspelt budget', 'id: r\nbudgets: { step: 1 }', /^q\.yaml:2:12: .*did you mean 'steps'\?$/],
  ])('with %s is refused', async (_, text, message) => {
    expect(await personalityIn(text)).toMatch(message);
  });
});

it('a budget that is given as a text says so', async () => {
  const dir = await folderWith({ 'p.yaml': 'id: p\nbudgets: { steps: "20" }\n' });
  await expect(loadPersonality(join(dir, 'p.yaml'))).rejects.toThrow(
    /p\.yaml:2:19: 'budgets\.steps' is a text, "20": write a whole number from 1, without quotes/,
  );
});
