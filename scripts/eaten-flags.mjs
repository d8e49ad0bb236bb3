// Owns the look for flags of our command that npm took for its own: without `--` in front of them they never arrive, and
// a run would go on without its policy.

// Not those that people set for npm itself: `yes`, `no`, `force`.
const flags =
  'config declares dir format json mcp model on-ask out personality policy reason remember session settings store strict tools trace verify'.split(
    ' ',
  );

/**
 * What to say when npm ate flags of the command, `undefined` when it ate none. npm hands each of them on as a variable.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {readonly string[]} rest  what did arrive
 * @returns {string | undefined}
 */
export function eatenFlags(env, rest) {
  if (!env['npm_config_user_agent']?.startsWith('npm/')) return undefined;
  const eaten = flags
    .filter((flag) => env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined)
    .map((flag) => `--${flag}`);
  if (eaten.length === 0) return undefined;
  const whole = rest.length === 0 || rest[0]?.startsWith('-') ? 'run "…"' : `${rest[0]} …`;
  return `npm took ${eaten.join(', ')} for its own: write \`--\` before the flags, npm start -- ${whole} ${eaten[0]} …`;
}
