/** Policy files: the rules of tool-policy, read from YAML or JSON. */
import { parsePolicy, type Policy } from '@treblehook/plugin-tool-policy';
import { readConfigFile } from './config-file.js';

/** Reads a policy file. Rejects with `TH_CONFIG_INVALID`, which names file, line and the mend. */
export async function loadPolicy(file: string): Promise<Policy> {
  const { value, locate } = await readConfigFile(file);
  return parsePolicy(value, locate);
}
