/** One text for a tool call, whatever the order of its arguments. */

export function stableKey(tool: string, input: unknown): string {
  return `${tool} ${stableText(input)}`;
}

export function stableText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
