/** What a policy sees of the machine: where paths lead. */
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Absolute, or resolved against where the process stands when it is compiled. Everything but `cwd` is for tests. */
export interface PolicyWorldOptions {
  /** The folder that relative paths of policies and of calls are meant from. Default: `process.cwd()`. */
  readonly cwd?: string;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

export interface PolicyWorld {
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** `node:path` of the platform. */
  readonly path: typeof path.posix;
  /** Two names of other letter case are one file. */
  readonly caseless: boolean;
  /** Real path of what exists; throws as `fs.realpathSync.native`. */
  readonly realPath: (absolute: string) => string;
  /** The target of a symbolic link as it is written; `undefined` of anything else that exists; throws as `fs.lstatSync`. */
  readonly linkAt: (absolute: string) => string | undefined;
  /** Whether anything stands there, a link that leads nowhere included. Throws as `fs.lstatSync` when it cannot be told. */
  readonly isThere: (absolute: string) => boolean;
  /** The names in a folder; throws as `fs.readdirSync`. */
  readonly namesIn: (absolute: string) => readonly string[];
}

export function policyWorld({
  cwd = process.cwd(),
  home = homedir(),
  platform = process.platform,
}: PolicyWorldOptions = {}): PolicyWorld {
  const style = platform === 'win32' ? path.win32 : path.posix;
  return Object.freeze({
    cwd: style.resolve(cwd),
    home,
    platform,
    path: style,
    caseless: platform === 'win32' || platform === 'darwin',
    realPath: (absolute: string) => realpathSync.native(absolute),
    linkAt: (absolute: string) => (lstatSync(absolute).isSymbolicLink() ? readlinkSync(absolute) : undefined),
    isThere: (absolute: string) => lstatSync(absolute, { throwIfNoEntry: false }) !== undefined,
    namesIn: (absolute: string) => readdirSync(absolute),
  });
}
