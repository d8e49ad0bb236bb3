/** One question on a terminal: the sealed call, what can be answered, and the words that go with it. */
import type { Writable } from 'node:stream';
import { approvalOf, textOf, type Answer, type JsonValue, type Request } from '@treblehook/types';
import { escaped, rangeText, requestLines } from './approval-text.js';
import type { CallEffects } from './effects.js';
import type { Screen } from './effects-text.js';
import { oneLine } from './io.js';
import { arrowsOf, lineOf, Stopped, type Keyboard } from './keyboard.js';
import { visible } from './visible.js';

type Choice = 'no' | 'once' | 'session' | 'edited' | 'later';

/** What a question is put with. */
export interface Putting {
  readonly keyboard: Keyboard;
  readonly output: Writable & Screen;
  readonly signal: AbortSignal;
  /** There is a store that it can wait in. */
  readonly canWait: boolean;
  /** What its tool says against other arguments; `undefined` when it takes them, or is not known. */
  readonly faultOf: (args: JsonValue) => Promise<string | undefined>;
}

/** The request and what its call would do, without keys of the environment. */
export interface Shown {
  readonly request: Request;
  readonly effects?: CallEffects | undefined;
}

/** `shown` is what is put in front of the person. Rejects with `Stopped`, and with the reason of the signal. */
export async function putQuestion(request: Request, shown: Shown, putting: Putting): Promise<Answer> {
  const { keyboard, output, signal } = putting;
  for (;;) {
    await keyboard.quiet(signal);
    output.write(`\n${requestLines(shown.request, shown.effects, output).map(indented).join('')}`);
    try {
      return { id: request.id, ...(await answerTo(request, shown.request, putting)) };
    } catch (error) {
      // whoever presses Escape is not sure yet
      if (!(error instanceof Stopped) || error.how !== 'again') throw error;
    }
  }
}

async function answerTo(request: Request, shown: Request, putting: Putting): Promise<Omit<Answer, 'id'>> {
  const { keyboard, output, signal, canWait } = putting;
  const { select } = await import('@clack/prompts');
  const call = approvalOf(request);
  const args = call && editable(call.args, approvalOf(shown)!.args);
  const options: { value: Choice; label: string; hint?: string }[] = [
    // the first one is what a hasty Enter takes
    { value: 'no', label: 'no' },
    { value: 'once', label: call ? 'yes, this once' : 'yes' },
    ...(call
      ? [
          {
            value: 'session' as const,
            label: 'yes, this same call for the rest of the session',
            hint: rangeText(approvalOf(shown)!),
          },
        ]
      : []),
    ...(args === undefined ? [] : [{ value: 'edited' as const, label: 'yes, once, with other arguments' }]),
    ...(canWait ? [{ value: 'later' as const, label: 'later: the run waits for the answer' }] : []),
  ];
  const message = call ? 'Shall it run?' : 'Yes or no?';
  const choice = await keyboard.put(
    (from) => select({ ...from, output, message, options, accessible: false }),
    arrowsOf(options.length),
    signal,
  );
  if (choice === 'later') throw new Stopped('later');
  if (choice === 'once') return { ok: true };
  if (choice === 'session') return { ok: true, data: { remember: { for: 'session' } } };
  if (choice === 'edited') return editedAnswer(args!, call!.args, putting);
  const reason = await line('Why not? The model is told (Enter: no reason)', putting);
  return { ok: false, ...(reason !== '' && { reason }) };
}

/** Asked for until the tool takes them; those of the call are a plain yes. */
async function editedAnswer(text: string, given: JsonValue, putting: Putting): Promise<Omit<Answer, 'id'>> {
  const message = 'The arguments, as JSON on one line. The guards are asked again about them';
  const typed = await line(message, putting, text);
  const args = JSON.parse(typed) as JsonValue;
  if (JSON.stringify(args) === JSON.stringify(given)) return { ok: true };
  const fault = await putting.faultOf(args);
  if (fault === undefined) return { ok: true, data: { args } };
  putting.output.write(indented(visible(oneLine(`its tool does not take them: ${fault}`))));
  return editedAnswer(typed, given, putting);
}

/** With a text to begin from it is JSON, and is asked for until it can be read. */
async function line(message: string, { keyboard, output, signal }: Putting, json?: string): Promise<string> {
  const { text } = await import('@clack/prompts');
  const given = json === undefined ? {} : { initialValue: json, validate: jsonFault };
  const typed = await keyboard.put(
    (from) => text({ ...from, output, message, accessible: false, ...given }),
    lineOf,
    signal,
  );
  return typeof typed === 'string' ? typed.trim() : '';
}

function jsonFault(text: string | undefined): string | undefined {
  try {
    JSON.parse(text ?? '');
    return undefined;
  } catch (error) {
    return `it is no JSON: ${textOf(error)}`;
  }
}

/** The arguments as a line to edit; `undefined` when some of them are not shown: what is edited would lose them. */
function editable(args: JsonValue, shown: JsonValue): string | undefined {
  const text = JSON.stringify(args);
  return text === JSON.stringify(shown) ? escaped(text) : undefined;
}

const indented = (text: string): string => `  ${text}\n`;
