/** How the command was called: what is told to be typed has to be there. */
import { mainCommand } from './commands.js';
import type { Io } from './io.js';

/** Whoever starts the command under another name says so here: `npm start --`. */
const nameVariable = 'TREBLEHOOK_CALLED_AS';

const behind = [...Object.keys(mainCommand.subCommands ?? {}), '--help', '<command>'];
/** Also behind the colour that help gives it. */
const called = new RegExp(
  `(?:(?<![\\w./-])|(?<=\\u001B\\[\\d+m))treblehook (?=(?:${behind.join('|')})(?![\\w-]))`,
  'g',
);

/** The text with each command line in it as it has to be typed. */
export function asCalled(text: string, env: Io['env']): string {
  const name = env[nameVariable]?.trim();
  return name ? text.replaceAll(called, () => `${name} `) : text;
}
