/** What is refused of an amendment of `personalitySwitched`: anything but less of the personality that is switched to. */
import type { PersonalityInForce, PersonalityNarrowing } from './hooks-session.js';
import { ownFields } from './own-fields.js';

const keys = ['plugins', 'tools'] as const satisfies (keyof PersonalityNarrowing)[];

/** What is wrong with it, or `undefined`. Tools are globs over those of `to`: they cannot say more than it has. */
export function checkPersonalityAmendment(
  { to }: { readonly to: PersonalityInForce },
  amendment: { readonly personality?: PersonalityNarrowing | null },
): string | undefined {
  const { personality } = ownFields(amendment);
  if (personality === undefined || personality === null) return undefined;
  if (Array.isArray(personality)) return 'its personality is a list: give { plugins?, tools? }';
  const given = ownFields(personality) as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    const value = given[key];
    if (!keys.some((one) => one === key)) return `its personality has '${key}': there is ${keys.join(', ')}`;
    if (value === undefined) continue;
    if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) {
      return `personality.${key} must be a list of texts`;
    }
  }
  const { plugins = [] } = ownFields(personality);
  const more = plugins.filter((id) => !to.plugins.includes(id));
  if (more.length === 0) return undefined;
  return `personality.plugins has ${more.map((id) => `'${id}'`).join(', ')}, which '${to.id}' does not list: it can only be narrower`;
}
