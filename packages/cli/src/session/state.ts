/** How a session stands, from its log and from who holds it. */
import type { CallView, QuestionView, RunView, SessionView } from '@treblehook/agent';
import type { SessionSummary, ToolOutcome } from '@treblehook/types';

/** `running`: a process has it. `waiting`: for answers. `ready`: to be gone on with. `interrupted`: its process has died. */
export type SessionState = 'running' | 'waiting' | 'ready' | 'interrupted' | 'settled';

export function stateOf(view: SessionView, { holder }: Pick<SessionSummary, 'holder'>): SessionState {
  if (holder !== undefined) return 'running';
  const last = view.runs.at(-1);
  if (last === undefined || isOver(last)) return 'settled';
  if (last.status === undefined) return 'interrupted';
  return openRequests(view).length === 0 ? 'ready' : 'waiting';
}

/** The same in words. */
export function stateText(state: SessionState, open: number, holder: string | undefined): string {
  const answers = `${open} ${open === 1 ? 'answer' : 'answers'}`;
  if (state === 'running') return `held by ${holder ?? 'a process'}`;
  if (state === 'waiting') return `waits for ${answers}`;
  if (state === 'ready') return 'waits to be resumed';
  if (state === 'interrupted') return open === 0 ? 'interrupted' : `interrupted, waits for ${answers}`;
  return 'settled';
}

/** How its last run has ended, in words; nothing of a session without one. */
export const lastText = (last: SessionSummary['last']): string => (last === 'open' ? notEnded : (last ?? ''));

/** Its last run waits, or has no ending. */
export const isOpen = ({ last }: { readonly last?: SessionSummary['last'] | undefined }): boolean =>
  last === 'pending' || last === 'open';

/** What is said of a run without an ending. */
export const notEnded = 'not ended';

export interface OpenRequest extends QuestionView {
  readonly call: CallView;
}

/** What the run that was left open waits for: only its last run can be one. */
export function openRequests({ runs }: SessionView): readonly OpenRequest[] {
  const last = runs.at(-1);
  if (last === undefined || isOver(last)) return [];
  return last.turns.flatMap(({ calls }) =>
    calls
      // a body that calls another tool cannot wait: what it asked is asked anew
      .filter(({ state, parent }) => state === 'waits' && parent === undefined)
      .flatMap((call) =>
        call.questions.filter(({ answer }) => answer === undefined).map((question) => ({ ...question, call })),
      ),
  );
}

const isOver = ({ status }: RunView): boolean => status !== undefined && status !== 'pending';

/** What is known of a call; `running` only while a process has the session, `to come` also when it can be gone on with. */
export type CallFate = ToolOutcome | 'running' | 'to come';

export function fateOf(call: CallView, run: RunView, state: SessionState): CallFate {
  if (call.end !== undefined) return call.end.outcome;
  if (call.state === 'waits') return isOver(run) ? 'cancelled' : 'suspended';
  if (call.state === 'answered') return isOver(run) ? 'cancelled' : 'to come';
  const goesOn = state === 'running' && !isOver(run);
  if (call.state === 'started') return goesOn ? 'running' : 'outcome-unknown';
  return goesOn || run.status === 'pending' ? 'to come' : 'not-started';
}
