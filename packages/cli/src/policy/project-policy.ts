/** Where a folder keeps its own policy. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { HookError } from '@treblehook/types';

const names = ['policy.yaml', 'policy.yml', 'policy.json'];

/**
 * The file of a folder that tightens the operator's policy; read like any YAML, nothing in it is run. Throws
 * `TH_CONFIG_INVALID` where there are several, of which the stricter one could be passed over.
 */
export function projectPolicyIn(dir: string): string | undefined {
  const folder = join(dir, '.treblehook');
  if (isThere(folder) && !existsSync(folder)) {
    throw invalid(
      folder,
      'it is a link that leads nowhere, and the policy of the folder may be behind it: mend it, or delete it',
    );
  }
  const found = names.filter((name) => isThere(join(folder, name)));
  if (found.length <= 1) return found[0] && join(folder, found[0]);
  throw invalid(
    folder,
    `${found.join(' and ')} are both the policy of the folder: put all rules into one, and drop the other`,
  );
}

/** A link that leads nowhere is there, too: whoever reads the file is told so. */
function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw invalid(file, `it cannot be told whether there is a policy: ${message}; check its permissions`);
  }
}

const invalid = (file: string, what: string): HookError => new HookError('TH_CONFIG_INVALID', { file, at: '', what });
