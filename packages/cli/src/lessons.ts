/** What each help teaches beside its flags. */
import { pluginLessons } from './lessons/plugin.js';
import { policyLessons } from './lessons/policy.js';
import { runLessons } from './lessons/run.js';
import { sessionLessons } from './lessons/session.js';
import { trustLessons } from './lessons/trust.js';

/** The flags that stand in the list of no command. */
export const everywhere = `EVERYWHERE

  --help, -h     behind a command: its help; alone: this command line
  --version, -v  alone: the version`;

/** By the words of the command. */
export const lessons: Readonly<Record<string, string>> = {
  ...runLessons,
  ...sessionLessons,
  ...policyLessons,
  ...pluginLessons,
  ...trustLessons,
};
