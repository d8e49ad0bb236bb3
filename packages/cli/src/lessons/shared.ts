/** What several helps say: the environment, the exit codes, where sessions are kept. */
import { exitCodes } from '../io.js';

export const runVariables = `ENVIRONMENT

  TREBLEHOOK_MODEL    the model when --model is left out
  TREBLEHOOK_API_KEY  key of openai-compatible endpoints
  OPENAI_API_KEY      key of openai
  ANTHROPIC_API_KEY   key of anthropic
  NO_COLOR            no colours

  A URL in the model of a personality file gets no key: name the model by --model to send yours there.`;

export const ends = `  ${exitCodes.interrupted}  interrupted by Ctrl-C
  ${exitCodes.brokenPipe}  whoever read the output went away
  ${exitCodes.terminated}  interrupted by SIGTERM`;

export const runCodes = `EXIT CODES

  ${exitCodes.done}    the run is done
  ${exitCodes.failed}    the run failed: the model, its connection, a handler that may end a run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a folder, a model, a file, a session, one that stays held; a store that cannot be opened;
       with --strict what matches nothing; nothing was run
  ${exitCodes.unfinished}    the run ended without a whole answer: vetoed, or stopped by a budget
  ${exitCodes.waiting}    the run waits for an answer: stderr says how to give it
${ends}`;

export const lookCodes = `EXIT CODES

  ${exitCodes.done}    it is printed, or written
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session that is not there, a store that cannot be opened, a file that may not be written
${ends}`;

export const resumeCodes = `EXIT CODES

  ${exitCodes.done}    the run is done
  ${exitCodes.failed}    the run failed: the model, its connection, a handler that may end a run; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a session without an open run or that another process holds, a request that is not open;
       nothing was run
  ${exitCodes.unfinished}    the run ended without a whole answer: vetoed, or stopped by a budget
  ${exitCodes.waiting}    the run waits for a further answer: stderr says how to give it
${ends}`;

export const where = `  Sessions are kept in .treblehook/sessions.db below the current folder, or in the file of --store.`;

export const policyCodes = `EXIT CODES

  ${exitCodes.done}    it is printed, and each case has passed
  ${exitCodes.failed}    a case has failed; or the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a file, a session, arguments; with --strict what matches nothing
${ends}`;

/** Of one command: what is done when it ends with 0, what else is wrong input, and what else has failed. */
export const policyCodesOf = (done: string, wrong: string, failed?: string): string => `EXIT CODES

  ${exitCodes.done}    ${done}
  ${exitCodes.failed}    ${failed === undefined ? '' : `${failed}; or `}the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a file${wrong}
${ends}`;

export const planCodes = `EXIT CODES

  ${exitCodes.done}    the plan is printed
  ${exitCodes.failed}    the output cannot be written
  ${exitCodes.wrongInput}    wrong input: a flag, a hook point, a file; with --strict what matches nothing
${ends}`;
