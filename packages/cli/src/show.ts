/** A run as a person follows it: the answer on stdout as it comes, what the tools do on stderr. */
import type { AgentEvent } from '@treblehook/agent';
import { textOf } from '@treblehook/types';
import { createColors } from './colors.js';
import { oneLine, printable, wantsColor, type Io } from './io.js';
import type { Redactor } from './redact.js';

/** Writes each event when it is given. `isResumed`: the run is one that was left open, which its beginning says. */
export function eventWriter(io: Io, redact: Redactor, isResumed: boolean): (event: AgentEvent) => void {
  const { dim, red } = createColors(wantsColor(io.stderr, io.env));
  const streamed = redact.stream();
  // before the redactor: what a terminal drops could stand in the middle of a key
  const shown = (text: string): string => (io.stdout.isTTY ? printable(text) : text);
  let open = false;
  const answer = (text: string): void => {
    if (text === '') return;
    io.stdout.write(text);
    open = !text.endsWith('\n');
  };
  const note = (line: string): string => redact.text(oneLine(`· ${line}`));
  const tell = (line: string): void => void io.stderr.write(`${line}\n`);
  const closeLine = (): void => {
    answer(streamed.flush());
    if (open) answer('\n');
  };
  return (event) => {
    switch (event.type) {
      case 'run-start':
        if (isResumed) tell(dim(note(`resumed: the run ${event.runId} goes on from its log`)));
        return;
      case 'text-delta':
        answer(streamed.push(shown(event.text)));
        return;
      case 'tool-call':
        closeLine();
        tell(dim(note(`${event.name} ${JSON.stringify(redact.data(event.args))}`)));
        return;
      case 'tool-end':
        if (event.outcome !== 'ok') tell(red(note(`${event.name} ${saidOnce(event.outcome, event.result.output)}`)));
        return;
      case 'retry':
        tell(dim(note(`attempt ${event.attempt} failed (${textOf(event.error)}); again in ${event.waitMs} ms`)));
        return;
      case 'answer':
      case 'done':
        closeLine();
        return;
      default:
    }
  };
}

/** The outcome and what is told of it, which often begins with the outcome. */
const saidOnce = (outcome: string, output: string): string =>
  output.startsWith(outcome) ? output : `${outcome}: ${output}`;
