/** Which room takes a command apart, by the name of its program. Each name stands in one room, so their order decides nothing. */
import { builders } from './builders.js';
import { builtins } from './builtins.js';
import { codeTakers } from './code-takers.js';
import { containers } from './containers.js';
import { forEachRoom } from './for-each.js';
import { gitRoom } from './git.js';
import { languages } from './languages.js';
import { projectTools } from './project-tools.js';
import type { Room, TakeApart } from './room.js';
import { scripted } from './scripted.js';
import { scripts } from './scripts.js';
import { shellRoom } from './shells.js';
import { tooling } from './tooling.js';
import { wrappers } from './wrappers.js';

export const rooms: readonly Room[] = [
  wrappers,
  shellRoom,
  builtins,
  forEachRoom,
  codeTakers,
  gitRoom,
  containers,
  projectTools,
  tooling,
  builders,
  scripts,
  scripted,
  languages,
];
/** What was looked up before; full, it stays as it is. */
const found = new Map<string, TakeApart | undefined>();

export function ruleOf(name: string): TakeApart | undefined {
  const rule = found.get(name);
  if (rule !== undefined || found.has(name)) return rule;
  const plain = (gnu.test(name) ? name.slice(1) : name).replace(/[-.]static$/, '');
  const first = firstOf(plain);
  if (found.size < 2000) found.set(name, first);
  return first;
}

function firstOf(name: string): TakeApart | undefined {
  for (const { ruleOf: inRoom } of rooms) {
    const rule = inRoom(name);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** `gtimeout`, `gxargs`: the GNU programs where others have the plain name. `bash-static` is bash without libraries. */
const gnu = /^g(?:awk|chroot|env|find|nice|nohup|sed|split|sort|stdbuf|tar|time|timeout|xargs)$/;
