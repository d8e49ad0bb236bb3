/** Which rule takes a command apart, by the name of its program. */
import { runsBuiltin } from './builtins.js';
import { runsCode } from './code-takers.js';
import { runsGit } from './git.js';
import { runsLanguage } from './languages.js';
import { runsForEach } from './for-each.js';
import { runsContainer } from './containers.js';
import { runsProject } from './project-tools.js';
import type { Use } from './run-words.js';
import { runsScripted } from './scripted.js';
import { runsTooling } from './tooling.js';
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
  runsProject,
  runsTooling,
  runsScripted,
  runsLanguage,
];
/** What was looked up before; full, it stays as it is. */
const found = new Map<string, Rule | undefined>();

export function ruleOf(name: string): Rule | undefined {
  const rule = found.get(name);
  if (rule !== undefined || found.has(name)) return rule;
  const plain = (gnu.test(name) ? name.slice(1) : name).replace(/[-.]static$/, '');
  const first = firstOf(plain);
  if (found.size < 2000) found.set(name, first);
  return first;
}

function firstOf(name: string): Rule | undefined {
  for (const room of rooms) {
    const rule = room(name);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** `gtimeout`, `gxargs`: the GNU programs where others have the plain name. `bash-static` is bash without libraries. */
const gnu = /^g(?:awk|chroot|env|find|nice|nohup|sed|split|sort|stdbuf|tar|time|timeout|xargs)$/;
