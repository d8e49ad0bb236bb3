/** What each help teaches beside its flags. */
import { exitCodes } from './io.js';

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
  ${exitCodes.wrongInput}    wrong input: a flag, a folder, a model, a file, a session, one that stays held; a store that cannot be opened;
       with --strict what matches nothing; nothing was run
  ${exitCodes.unfinished}    the run ended without a whole answer: vetoed, or stopped by a budget
  ${exitCodes.waiting}    the run waits for an answer: stderr says how to give it
${ends}`;

const lookCodes = `EXIT CODES

  ${exitCodes.done}    it is printed, or written
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session that is not there, a store that cannot be opened, a file that may not be written
${ends}`;

const resumeCodes = `EXIT CODES

  ${exitCodes.done}    the run is done
  ${exitCodes.failed}    the run failed: the model, its connection, a handler that may end a run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session without an open run or that another process holds, a request that is not open;
       nothing was run
  ${exitCodes.unfinished}    the run ended without a whole answer: vetoed, or stopped by a budget
  ${exitCodes.waiting}    the run waits for a further answer: stderr says how to give it
${ends}`;

const where = `  Sessions are kept in .treblehook/sessions.db below the current folder, or in the file of --store.`;

const policyCodes = `EXIT CODES

  ${exitCodes.done}    it is printed, and each case has passed
  ${exitCodes.failed}    a case has failed; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a file, a session, arguments; with --strict what matches nothing
${ends}`;

const planCodes = `EXIT CODES

  ${exitCodes.done}    the plan is printed
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a hook point, a file; with --strict what matches nothing
${ends}`;

/** The flags that stand in the list of no command. */
export const everywhere = `EVERYWHERE

  --help, -h     behind a command: its help; alone: this command line
  --version, -v  alone: the version`;

/** What each help teaches beside its flags. */
export const lessons: Readonly<Record<string, string>> = {
  treblehook: `EXAMPLES

  treblehook run "which files are about hooks?" --dir ./docs
  treblehook run "sum up README.md" --model openai-compatible:qwen3@http://127.0.0.1:11434/v1
  treblehook run "what is in here?" --policy policy.yaml --strict --trace
  treblehook run "and who wrote it?" --session session_…
  treblehook session list
  treblehook session resume session_… --yes request_…
  treblehook plan beforeLLM

  What is said and done is kept in .treblehook/sessions.db below the current folder (--store, --no-store).

${runVariables}

${runCodes}`,
  run: `EXAMPLES

  treblehook run "what does this project do?"
  treblehook run "sum up README.md" --dir ~/notes --trace
  treblehook run "list the files" --json | jq -r .text
  treblehook run "and the other one?" --session session_…
  treblehook run "what is new?" --session nightly        begins it the first time, goes on with it afterwards
  treblehook run "try again" --session session_…         behind a run that failed, or was stopped or interrupted
  ANTHROPIC_API_KEY=… treblehook run "explain main.ts" --model anthropic:claude-sonnet-4-5

  The tools list, read and search the folder and change nothing. A policy file denies calls by name and argument,
  or asks about them (decision: ask):

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

  On a terminal (stdin and stdout both) you are asked, with the whole call in front of you: no, yes, yes for the session,
  yes with other arguments, or later. With later, and with Ctrl-D, the run waits in its session and ends with ${exitCodes.waiting}, as it
  does elsewhere and with --json; treblehook session resume goes on with the answer. --on-ask deny makes an ask a denial.

  The session is kept in .treblehook/sessions.db below the current folder, with what the tools have read: --store
  names another file, --no-store keeps nothing. Its id is the last line on stderr, and in the document of --json.
  --session goes on with it whatever its last run came to: the model is told what was said and done before, and nothing
  of it runs again. Only a session that waits for an answer refuses a new prompt.

  The answer goes to stdout, progress and faults to stderr.

${runVariables}

${runCodes}`,
  session: `EXAMPLES

  treblehook session list
  treblehook session show session_…
  treblehook session resume session_… --no request_… --reason "not that file"
  treblehook session export session_… --format markdown --out talk.md

${where}
  treblehook session <command> --help says more of each.

${lookCodes}`,
  'session list': `EXAMPLES

  treblehook session list
  treblehook session list --store ~/notes/sessions.db
  treblehook session list --json | jq -r '.sessions[] | select(.pending > 0) | .sessionId'
  treblehook session list --json | jq -r '.sessions[] | select(.last == "failed") | .sessionId'

  A session is settled, waits for answers, is held by a run that goes on in another process, or was interrupted: the
  process of its run has died. Of its last run is told how it has ended: done, failed, vetoed, incomplete (by a budget),
  aborted, pending (it waits), or not ended. Looking takes nothing from a run that goes on.

${where}

${lookCodes}`,
  'session show': `EXAMPLES

  treblehook session show session_…
  treblehook session show session_… --json | jq -r '.open[].id'

  Each call is told with what came of it, which guards ran and what they said, and who answered. Of a run whose process
  has died, a call that had started is outcome-unknown, and one that had not is not-started.

${where}

${lookCodes}`,
  'session resume': `EXAMPLES

  treblehook session resume session_… --yes request_…
  treblehook session resume session_… --yes request_… --remember
  treblehook session resume session_… --no request_… --reason "not that file"
  treblehook session resume session_… --yes request_… --policy stricter.yaml
  treblehook session resume session_…          a run whose process has died; on a terminal, what it waits for is asked

  It has the folder, model, personality, policy and --strict that the run was given: they stand in the log. A flag goes
  before them; a file that is gone is refused, and nothing goes on without it. The guards are asked again when the call
  is about to run, by the policy as it is now. A URL that only the log names gets no key: name it by --model.
  Ctrl-C at a question leaves the run waiting, as Ctrl-D does.
  What completed is not run again; of a call whose outcome is not known the model is told so.

${where}

${runVariables}

${resumeCodes}`,
  'session revoke': `EXAMPLES

  treblehook session revoke session_… grant_…
  treblehook session revoke session_… grant_… --json | jq -r '.grants[].id'

  A yes with --remember is a grant: the same call is not asked about again in its session. What it was for is asked
  about anew from now on. treblehook session show tells the grants, with the command that takes each back.

${where}

${lookCodes.replace('it is printed, or written', 'it is revoked').replace('a session that is not there', 'a session that is not there or that another process holds')}`,
  'session export': `EXAMPLES

  treblehook session export session_… > session.jsonl
  treblehook session export session_… --format markdown --out talk.md
  treblehook session export session_… --format json --out session.json --force

  A file is there whole or not at all. Keys of the environment and user parts of URLs are [redacted] in it.

${where}

${lookCodes}`,
  audit: `EXAMPLES

  treblehook audit session_…
  treblehook audit session_… --verify && echo "nothing ran unasked"
  treblehook audit session_… --json | jq '.calls[] | select(.outcome == "ok") | {name, args, guards, asks}'

  Of each attempt of each call: who asked for it, which guards were asked about which arguments, what each said and in
  how many ms, who approved, and what came of it. Every digest is recomputed; an outcome without a clearance, a question
  that nobody has granted, and arguments that are other ones than those that were cleared are named with their record.

${where}

EXIT CODES

  ${exitCodes.done}    the log holds
  ${exitCodes.failed}    something in it contradicts what may have run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session that is not there, a store that cannot be opened
${ends}`,
  policy: `EXAMPLES

  treblehook policy check policy.yaml --strict
  treblehook policy explain read_file '{"path":"secrets/key.pem"}' --policy policy.yaml
  treblehook policy test cases.yaml
  treblehook policy simulate session_… --policy stricter.yaml

  Nothing is run by these. treblehook policy <command> --help says more of each.

${policyCodes}`,
  'policy check': `EXAMPLES

  treblehook policy check policy.yaml
  treblehook policy check policy.yaml --dir ~/project --strict

  A policy holds rules, in no order: the strictest of those that match wins, and there is no allow.

    unlisted: { mcp: ask, plugin: deny }     what happens to tools that no rule names
    unknown: deny                            what happens when it cannot be told whether a rule matches
    rules:
      - id: stay-inside
        tools: '*'
        paths: { not: { within: '.' } }
        decision: deny
        reason: files outside of the folder are nobody's business here

  .treblehook/policy.yaml of the folder, and the policy of a personality, can only tighten it.

${policyCodes}`,
  'policy explain': `EXAMPLES

  treblehook policy explain read_file '{"path":"a/../../b"}' --policy policy.yaml
  treblehook policy explain mcp:files/write_file '{"path":"/etc/hosts"}' --policy policy.yaml --json

  Every rule that names the tool is shown with each of its tests: what holds, what does not, and what cannot be told.
  The arguments of a tool of the command line are those that would be sealed: paths in their normal form.

${policyCodes}`,
  'policy test': `EXAMPLES

  treblehook policy test cases.yaml
  treblehook policy test cases.yaml --policy other.yaml --json

    policy: policy.yaml
    cases:
      - tool: read_file
        args: { path: secrets/key.pem }
        expect: deny                         deny, ask or silent
        rule: no-secrets                     if a certain rule should say so
      - { tool: mcp:files/read_file, args: { path: a.md }, expect: ask }

${policyCodes}`,
  'policy simulate': `EXAMPLES

  treblehook policy simulate session_… --policy stricter.yaml
  treblehook policy simulate session_… --policy stricter.yaml --json | jq '.differences'

  Each call that the guards of the session have seen is judged by the policy that you name, from the folder that the
  session worked in as it is now. Calls whose verdict would be another one are listed.

${where}

${policyCodes}`,
  plan: `EXAMPLES

  treblehook plan                   who sits on which hook point
  treblehook plan toolPolicy        one of them
  treblehook plan --personality reader.yaml --json

ENVIRONMENT

  NO_COLOR            no colours

${planCodes}`,
};
