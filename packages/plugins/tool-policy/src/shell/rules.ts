/** Which rule takes a command apart, by the name of its program. */
import { runsBuiltin } from './builtins.js';
import { runsCode } from './code-takers.js';
import { runsGit } from './git.js';
import { runsLanguage } from './languages.js';
import { runsForEach } from './for-each.js';
import { runsContainer } from './containers.js';
import type { Use } from './run-words.js';
import { runsScripted } from './scripted.js';
import { runsShell } from './shells.js';
import { runsWords } from './wrappers.js';

type Rule = (use: Use) => void;

const rooms: readonly ((name: string) => Rule | undefined)[] = [
  runsWords,
  runsShell,
  runsBuiltin,
  runsForEach,
  runsCode,
  runsGit,
  runsContainer,
  runsScripted,
  runsLanguage,
];
/** Grows by each name that a rule is for, of which there are a few hundred. */
const found = new Map<string, Rule>();

export function ruleOf(name: string): Rule | undefined {
  const rule = found.get(name);
  if (rule !== undefined) return rule;
  for (const room of rooms) {
    const one = room(name) ?? (/^g[a-z]{3,}$/.test(name) ? gnu(room, name) : undefined);
    if (one === undefined) continue;
    if (found.size < 1000) found.set(name, one);
    return one;
  }
  return undefined;
}

/** `gtimeout`, `gxargs`: the GNU programs where others have the plain name. */
const gnuNames = /^g(?:awk|chroot|env|find|nice|nohup|sed|split|sort|stdbuf|tar|time|timeout|xargs)$/;
const gnu = (room: (name: string) => Rule | undefined, name: string): Rule | undefined =>
  gnuNames.test(name) ? room(name.slice(1)) : undefined;
