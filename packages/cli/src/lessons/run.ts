/** What the helps of `run`, of `plan` and of the whole command line teach. */
import { exitCodes } from '../io.js';
import { runVariables, runCodes, planCodes } from './shared.js';

export const runLessons = {
  treblehook: `EXAMPLES

  treblehook run "which files are about hooks?" --dir ./docs
  treblehook run "sum up README.md" --model openai-compatible:qwen3@http://127.0.0.1:11434/v1
  treblehook run "what is in here?" --policy policy.yaml --strict --trace
  treblehook run "and who wrote it?" --session session_…
  treblehook session list
  treblehook session resume session_… --yes request_…
  treblehook run "mend the typo in README.md" --tools all
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

  treblehook run "mend the typo in README.md" --tools read_file,edit_file
  treblehook run "what do we know of hooks?" --mcp servers.yaml

  Without --tools they list, read and search the folder and change nothing. --tools offers others by name or glob, or all:
  write_file, edit_file, delete_file, run_command, fetch_url. These are asked about unless the file of --policy names them
  in a rule (a bare '*' names none) or says under unlisted what happens to the others.
  --mcp connects servers, whose tools are called mcp:<server>/<tool>, and ends them with the run. They are asked about
  unless a rule names them. No file of servers is looked for: only the one that you name starts anything.

    servers:
      files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", /srv/docs] }
      web: { url: "https://mcp.example.org/mcp", optional: true }

  A policy file denies calls by name and argument, or asks about them (decision: ask):

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
    tools: [list_files, read_file]          of those that are offered
    budgets: { steps: 20, toolCalls: 40, wallMs: 60000 }

  On a terminal (stdin and stdout both) you are asked, with the whole call in front of you, the programs that a command
  would run, and the diff of what a write would change: no, yes, yes for the session,
  yes with other arguments, or later. With later, and with Ctrl-D, the run waits in its session and ends with ${exitCodes.waiting}, as it
  does elsewhere and with --json; treblehook session resume goes on with the answer. --on-ask deny makes an ask a denial.

  The session is kept in .treblehook/sessions.db below the current folder, with what the tools have read: --store
  names another file, --no-store keeps nothing. Its id is the last line on stderr, and in the document of --json.
  --session goes on with it whatever its last run came to: the model is told what was said and done before, and nothing
  of it runs again. Only a session that waits for an answer refuses a new prompt.

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
