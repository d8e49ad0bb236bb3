/** Where a folder keeps its own policy. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The file of a folder that tightens the operator's policy; read like any YAML, nothing in it is run. */
export function projectPolicyIn(dir: string): string | undefined {
  return ['policy.yaml', 'policy.yml', 'policy.json']
    .map((name) => join(dir, '.treblehook', name))
    .find((file) => existsSync(file));
}
