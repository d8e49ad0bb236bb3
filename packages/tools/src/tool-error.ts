/** What a tool says when it does not do what was asked: where, and what to do instead. */

/**
 * `path`: a spelling that is never taken. `outside`: it leads out of the folder. `missing`, `exists`, `kind` (no regular
 * file, no folder), `access`, `binary`, `moved` (what was opened is no longer what the name leads to), `limit` (too big, too
 * long, too slow), `stale` (the file has changed), `match` (the text to replace is not there, or more than once), `pattern`,
 * `spawn`, `url`, `address` (not a public one), `network`, `disk` (any other fault of the system).
 */
export type ToolErrorCode =
  | 'path'
  | 'outside'
  | 'missing'
  | 'exists'
  | 'kind'
  | 'access'
  | 'binary'
  | 'moved'
  | 'limit'
  | 'stale'
  | 'match'
  | 'pattern'
  | 'spawn'
  | 'url'
  | 'address'
  | 'network'
  | 'disk';

/** Its message is for the model: no absolute path of the machine is in it, and it ends with the mend where there is one. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A fault of the system in words; what is none, such as the reason of an abort, stays what it is. */
export function toolErrorOf(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new ToolError('missing', `there is no '${path}'`);
  if (code === 'ELOOP') return new ToolError('missing', `'${path}' is a link that leads nowhere`);
  if (code === 'EEXIST') return new ToolError('exists', `'${path}' is there already`);
  if (code === 'EACCES' || code === 'EPERM') return new ToolError('access', `'${path}' may not be read or written`);
  if (code === 'EROFS') return new ToolError('access', `'${path}' is on a disk that cannot be written`);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ToolError('disk', `there is no room on the disk for '${path}'`);
  if (code === 'ENAMETOOLONG') return new ToolError('path', `the path is too long: give a shorter one`);
  return new ToolError('disk', `'${path}' cannot be opened (${code ?? 'unknown fault'})`);
}
