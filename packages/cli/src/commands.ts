/** The commands as data: their flags, and what their help says. */
import type { ArgsDef, CommandDef } from 'citty';
import { exitCodes } from './io.js';

export const runArgs = {
  prompt: { type: 'positional', required: true, description: 'What to do, in quotes' },
  dir: {
    type: 'string',
    valueHint: 'folder',
    description: 'The folder that the tools may look into; the current one if left out',
  },
  model: {
    type: 'string',
    valueHint: 'provider:id[@url]',
    description: 'The model; else $TREBLEHOOK_MODEL, else offline',
  },
  personality: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'System text, model, tools and budgets (plugins are given in a program, not here)',
  },
  policy: {
    type: 'string',
    valueHint: 'file.yaml',
    description: 'Rules that deny tool calls, or ask: nobody can be asked here, so an ask is a denial',
  },
  strict: {
    type: 'boolean',
    description: 'Refuse a rule or a glob that matches nothing; else it is a warning, and the run goes on',
  },
  json: { type: 'boolean', description: 'Print the result as one JSON document, and nothing else, on stdout' },
  trace: { type: 'boolean', description: 'Print what each handler did in the run (in the document with --json)' },
} as const satisfies ArgsDef;

export const planArgs = {
  hook: { type: 'positional', required: false, description: 'One hook point; all of them if left out' },
  personality: { type: 'string', valueHint: 'file.yaml', description: 'The personality that the plan is made for' },
  strict: {
    type: 'boolean',
    description: 'Refuse a glob in it that matches nothing; else it is a warning',
  },
  json: { type: 'boolean', description: 'Print one JSON document' },
} as const satisfies ArgsDef;

export const runCommand: CommandDef = {
  meta: { name: 'run', description: 'Run one prompt to its end and stream the answer' },
  args: runArgs,
};
export const planCommand: CommandDef = {
  meta: { name: 'plan', description: 'Show who runs on each hook point, in which order, and why' },
  args: planArgs,
};
export const mainCommand: CommandDef = {
  meta: { name: 'treblehook', description: 'An agent loop on a hook kernel of three models' },
  subCommands: { run: runCommand, plan: planCommand },
};

const runVariables = `ENVIRONMENT

  TREBLEHOOK_MODEL    the model when --model is left out
  TREBLEHOOK_API_KEY  key of openai-compatible endpoints
  OPENAI_API_KEY      key of openai
  ANTHROPIC_API_KEY   key of anthropic
  NO_COLOR            no colours

  A URL in the model of a personality file gets no key: name the model by --model to send yours there.`;

const ends = `  ${exitCodes.interrupted}  interrupted by Ctrl-C
  ${exitCodes.brokenPipe}  whoever read the output went away
  ${exitCodes.terminated}  interrupted by SIGTERM`;

const runCodes = `EXIT CODES

  ${exitCodes.done}    the run is done
  ${exitCodes.failed}    the run failed: the model, its connection, a handler that may end a run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a folder, a model, a file; with --strict what matches nothing; nothing was run
  ${exitCodes.unfinished}    the run ended without a whole answer: vetoed, or stopped by a budget
${ends}`;

const planCodes = `EXIT CODES

  ${exitCodes.done}    the plan is printed
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a hook point, a file; with --strict what matches nothing
${ends}`;

/** What each help teaches beside its flags. */
export const lessons: Readonly<Record<string, string>> = {
  treblehook: `EXAMPLES

  treblehook run "which files are about hooks?" --dir ./docs
  treblehook run "sum up README.md" --model openai-compatible:qwen3@http://127.0.0.1:11434/v1
  treblehook run "what is in here?" --policy policy.yaml --strict --trace
  treblehook plan beforeLLM

${runVariables}

${runCodes}`,
  run: `EXAMPLES

  treblehook run "what does this project do?"
  treblehook run "sum up README.md" --dir ~/notes --trace
  treblehook run "list the files" --json | jq -r .text
  ANTHROPIC_API_KEY=… treblehook run "explain main.ts" --model anthropic:claude-sonnet-4-5

  The tools list, read and search the folder and change nothing. A policy file denies calls by name and argument
  (decision: ask is a denial too: nobody can be asked here):

    rules:
      - tools: read_file
        when: { /path: { glob: "*.env" } }
        decision: deny
        reason: files that end with .env are not read
      - tools: search_files
        decision: deny
        reason: a search would show lines of them

  A rule that matches nothing is only a warning, and the run goes on without it: --strict refuses it.
  A path is compared in its normal form: from the folder, links followed, without '.', '..' and a slash at the end.
  Letter case counts, by the name on disk: a file called .ENV needs a rule of its own.
  list_files still shows the names. A personality file may hold id, system, model, tools and budgets:

    id: reader
    system: You answer from the files.
    tools: [list_files, read_file]
    budgets: { steps: 20, toolCalls: 40, wallMs: 60000 }

  The answer goes to stdout, progress and faults to stderr.

${runVariables}

${runCodes}`,
  plan: `EXAMPLES

  treblehook plan                   who sits on which hook point
  treblehook plan toolPolicy        one of them
  treblehook plan --personality reader.yaml --json

ENVIRONMENT

  NO_COLOR            no colours

${planCodes}`,
};
