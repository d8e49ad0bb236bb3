/** Where consent is kept: a file of the person's own, outside of the folders that it speaks of. */
import { isAbsolute, join } from 'node:path';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

/**
 * `$TREBLEHOOK_TRUST`, else `treblehook/trust.json` in `$XDG_CONFIG_HOME` or `~/.config`. `undefined` where the environment
 * names no home: then nothing has consent. Throws `UsageError` for a path that depends on the current folder, which could
 * bring its own consent.
 */
export function trustPath(env: Io['env']): string | undefined {
  const named = env['TREBLEHOOK_TRUST'];
  if (named !== undefined && named !== '') {
    if (isAbsolute(named)) return named;
    throw new UsageError(`$TREBLEHOOK_TRUST is '${named}': give the whole path, which is the same in any folder`);
  }
  const config = env['XDG_CONFIG_HOME'];
  // one that is relative is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
  if (config !== undefined && isAbsolute(config)) return join(config, 'treblehook', 'trust.json');
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home !== undefined && isAbsolute(home) ? join(home, '.config', 'treblehook', 'trust.json') : undefined;
}

/** The same, for a command that cannot go without. */
export function trustFile(env: Io['env']): string {
  const file = trustPath(env);
  if (file !== undefined) return file;
  throw new UsageError('there is no home that consent is kept in: set $HOME, or name a file by $TREBLEHOOK_TRUST');
}
