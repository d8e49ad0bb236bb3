/** Rules as people read them. */

/** The rule that an ask names, without the version that tells one wording of it from another: `env` of `env@3f2a91c0d1e2`. */
export const ruleName = (rule: string): string =>
  rule.replace(/@(?:[0-9a-f]{12}\??|unlisted)(?:\+(?:[0-9a-f]{12}\??|unlisted))*$/, '');
