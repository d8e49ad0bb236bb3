/** A run as a person follows it: the answer on stdout as it comes, what the tools do on stderr. */
import type { AgentEvent } from '@treblehook/agent';
import { textOf } from '@treblehook/types';
import { createColors } from './colors.js';
import { oneLine, printable, wantsColor, type Io } from './io.js';
import type { Redactor } from './redact.js';

/**
 * Writes each event when it is given. `answered`: the run is one that was left open, which its beginning says, and these
 * requests of it had an answer before, which is no news.
 */
export function eventWriter(io: Io, redact: Redactor, answered?: ReadonlySet<string>): (event: AgentEvent) => void {
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
  /** What happens, in words and whether it is a fault; of a child with the agents that lead to it. */
  const noteOf = (event: AgentEvent): readonly [line: string, isFault: boolean] | undefined => {
    switch (event.type) {
      case 'tool-call':
        return [`${event.name} ${JSON.stringify(redact.data(event.args))}`, false];
      case 'tool-end':
        return event.outcome === 'ok'
          ? undefined
          : [`${event.name} ${saidOnce(event.outcome, event.result.output)}`, true];
      case 'retry':
        return [
          `attempt ${event.attempt} failed (${redact.fault(textOf(event.error))}); again in ${event.waitMs} ms`,
          false,
        ];
      case 'answered':
        return answered?.has(event.requestId)
          ? undefined
          : [`${event.requestId} is answered: ${event.ok ? 'yes' : 'no'}`, false];
      case 'output-withheld': {
        const by = event.by === undefined ? '' : ` by ${event.by}`;
        return [
          `a block of the ${event.kind === 'text' ? 'answer' : 'reasoning'} is kept back${by}: ${event.reason}`,
          true,
        ];
      }
      case 'subagent': {
        const told = noteOf(event.event);
        const isDeeper = event.event.type === 'subagent';
        return told && [isDeeper ? told[0] : `${event.agentPath.join(' > ')}: ${told[0]}`, told[1]];
      }
      default:
        return undefined;
    }
  };
  const tell = (line: string): void => void io.stderr.write(`${line}\n`);
  const closeLine = (): void => {
    answer(streamed.flush());
    if (open) answer('\n');
  };
  return (event) => {
    switch (event.type) {
      case 'run-start':
        if (answered !== undefined) tell(dim(note(`resumed: the run ${event.runId} goes on from its log`)));
        return;
      case 'text-delta':
        answer(streamed.push(shown(event.text)));
        return;
      case 'answer':
      case 'done':
        closeLine();
        return;
      default: {
        const told = noteOf(event);
        if (told === undefined) return;
        closeLine();
        tell((told[1] ? red : dim)(note(told[0])));
      }
    }
  };
}

/** The outcome and what is told of it, which often begins with the outcome. */
const saidOnce = (outcome: string, output: string): string =>
  output.startsWith(outcome) ? output : `${outcome}: ${output}`;
