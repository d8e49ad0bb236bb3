/** What the helps of sessions teach. */
import { exitCodes } from '../io.js';
import { runVariables, ends, lookCodes, resumeCodes, where } from './shared.js';

export const sessionLessons = {
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

  It has the folder, tools, servers, model, personality, policy and --strict that the run was given: they stand in the log. A flag goes
  before them; a file that is gone, the policy of the folder too, is refused: nothing goes on without it. The guards are asked again when the call
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

  A file is there whole or not at all. Keys of the environment are [redacted] in it, and nothing else is.

${where}

${lookCodes}`,
  audit: `EXAMPLES

  treblehook audit session_…
  treblehook audit session_… --verify && echo "nothing in the log ran unasked"
  treblehook audit session_… --json | jq '.calls[] | select(.outcome == "ok") | {name, args, guards, asks}'

  Of each attempt of each call: who asked for it, which guards were asked about which arguments, what each said and in
  how many ms, which answer approved it and for how long, and what came of it. Every digest is recomputed; an outcome without a clearance, a question
  that nobody has granted, and arguments that are other ones than those that were cleared are named with their record.
  Only what the log holds is judged: records are not chained, so who may write the file can cut off its end, or take
  calls out whole and number the rest anew, and nothing here sees that.

${where}

EXIT CODES

  ${exitCodes.done}    the log holds
  ${exitCodes.failed}    something in it contradicts what may have run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session that is not there, a store that cannot be opened
${ends}`,
};
