/** Personalities: the system text, the model, and what of the host's plugins and tools exists for it. */
import { dirname, resolve } from 'node:path';
import type { AgentLimits, Personality } from '@treblehook/agent';
import { parsePolicy, type Policy } from '@treblehook/plugin-tool-policy';
import { givenInline, ownFields, Setting, type Locate } from '@treblehook/types';
import { readConfigFile } from './config-file.js';

/** A personality as a file or a program gives it. */
export interface HostPersonality extends Omit<Personality, 'limits'> {
  /** Budgets of one run; they go before the host's `limits`, and can only be tighter. */
  readonly budgets?: PersonalityBudgets;
  /** Tightens the host's policy: inline, or the path of a YAML or JSON file, from the folder of the personality's own. */
  readonly policy?: Policy | string;
}

/** A personality that was read, and where its parts stand. */
export interface LoadedPersonality {
  readonly personality: HostPersonality;
  readonly locate: Locate;
  /** The file that it stands in; of one that is given in code there is none. */
  readonly file?: string;
}

const keys = ['id', 'system', 'model', 'plugins', 'tools', 'policy', 'budgets'] as const;
/** Costs are by prices, which are the host's: a personality limits tokens. */
export type PersonalityBudgets = Omit<AgentLimits, 'cost'>;

const budgetNames: Readonly<Record<keyof PersonalityBudgets, true>> = {
  steps: true,
  toolCalls: true,
  tokens: true,
  wallMs: true,
  deniedSteps: true,
};
export const limitNames: Readonly<Record<keyof AgentLimits, true>> = { ...budgetNames, cost: true };
const budgetKeys = Object.keys(budgetNames) as readonly (keyof PersonalityBudgets)[];

/** Reads a personality file (YAML or JSON). Rejects with `TH_CONFIG_INVALID`, which names file, line and the mend. */
export async function loadPersonality(file: string): Promise<LoadedPersonality> {
  const { value, locate } = await readConfigFile(file);
  const personality = parsePersonality(value, locate);
  const { policy } = personality;
  if (typeof policy !== 'string') return { personality, locate, file };
  const placed = ownFields({ ...personality, policy: resolve(dirname(file), policy) });
  return { personality: Object.freeze(placed), locate, file };
}

/** Reads a personality from plain data into a frozen copy. Throws `TH_CONFIG_INVALID`. */
export function parsePersonality(value: unknown, at: Locate = givenInline('personality')): HostPersonality {
  const whole = new Setting(value, at);
  for (const [key, field] of whole.entries()) {
    // A host calls them so: by distance alone the right word is not found.
    if (key === 'limits') field.refuse("there is no 'limits' here: did you mean 'budgets'?", 'key');
    if (key === 'rules') field.refuse('this looks like a policy: give it as the policy, not as the personality', 'key');
  }
  const { id, system, model, plugins, tools, policy, budgets } = whole.fields(keys);
  if (id === undefined) return whole.lacks('id', "name it, such as 'reader'");
  if (system !== undefined && typeof system.value !== 'string')
    system.refuse("'system' is no text: write the system text");
  return Object.freeze(
    ownFields({
      id: readId(id),
      ...(system && { system: system.value as string }),
      ...(model && { model: model.text() }),
      ...(plugins && { plugins: names(plugins) }),
      ...(tools && { tools: names(tools) }),
      ...(policy && { policy: readPersonalPolicy(policy) }),
      ...(budgets && { budgets: readBudgets(budgets) }),
    }),
  );
}

function readId(field: Setting): string {
  const id = field.text();
  if (!/^[a-z][a-z0-9-]*$/.test(id)) field.refuse(`'${id}' is no id: use a-z, 0-9 and '-', a letter first`);
  return id;
}

const readPersonalPolicy = (field: Setting): Policy | string =>
  typeof field.value === 'string'
    ? field.text()
    : parsePolicy(field.value, (path, part) => field.locate([...field.path, ...path], part));

const names = (field: Setting): readonly string[] => Object.freeze(field.items().map((item) => item.text()));

function readBudgets(field: Setting): PersonalityBudgets {
  const limits: { -readonly [K in keyof PersonalityBudgets]: PersonalityBudgets[K] } = Object.create(null);
  for (const [key, limit] of Object.entries(field.fields(budgetKeys))) {
    const { value } = limit;
    if (!Number.isSafeInteger(value) || (value as number) < 1) {
      const given =
        typeof value === 'string' ? `a text, ${JSON.stringify(value.slice(0, 40))}` : 'no whole number from 1';
      const unit = key === 'wallMs' ? ', in ms' : '';
      limit.refuse(`${limit.name} is ${given}: write a whole number from 1${unit}, without quotes`);
    }
    limits[key as keyof PersonalityBudgets] = value as number;
  }
  return Object.freeze(limits);
}
