/** A run as a person follows it: the answer on stdout as it comes, what the tools do on stderr. */
import type { AgentEvent } from '@treblehook/agent';
import { textOf } from '@treblehook/types';
import { createColors } from './colors.js';
import { oneLine, printable, wantsColor, type Io } from './io.js';

/** Writes each event when it is given. */
export function eventWriter(io: Io, redact: (text: string) => string): (event: AgentEvent) => void {
  const { dim, red } = createColors(wantsColor(io.stderr, io.env));
  const answer = (text: string): void => void io.stdout.write(io.stdout.isTTY ? printable(text) : text);
  const note = (text: string): void => void io.stderr.write(`${text}\n`);
  let open = false;
  const closeLine = (): void => {
    if (open) answer('\n');
    open = false;
  };
  return (event) => {
    switch (event.type) {
      case 'text-delta':
        if (event.text === '') return;
        answer(event.text);
        open = !event.text.endsWith('\n');
        return;
      case 'tool-call':
        closeLine();
        note(dim(redact(oneLine(`· ${event.name} ${JSON.stringify(event.args)}`))));
        return;
      case 'tool-end':
        if (event.outcome !== 'ok')
          note(red(redact(oneLine(`· ${event.name} ${event.outcome}: ${event.result.output}`))));
        return;
      case 'retry':
        note(
          dim(
            redact(oneLine(`· attempt ${event.attempt} failed (${textOf(event.error)}); again in ${event.waitMs} ms`)),
          ),
        );
        return;
      case 'answer':
      case 'done':
        closeLine();
        return;
      default:
    }
  };
}
