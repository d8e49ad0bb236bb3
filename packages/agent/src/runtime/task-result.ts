/** What the ending of a child is in the words of its task. */
import { textOf, type RunLimit, type RunStatus } from '@treblehook/types';

interface Ended {
  readonly text: string;
  readonly limit?: RunLimit;
  readonly reason?: { readonly text: string };
  readonly error?: unknown;
}

/** Anything but `done` is an error result; what the child has said all the same stands behind it. */
export function endedText(
  agent: string,
  status: RunStatus,
  { text, limit, reason, error }: Ended,
): { readonly output: string; readonly isError: boolean } {
  if (status === 'done') return { output: text, isError: false };
  const why = whyOf(status, limit, reason?.text, error);
  const said = text === '' ? '' : `\nIts last words:\n${text}`;
  return { output: `the agent '${agent}' ${why}${said}`, isError: true };
}

function whyOf(status: RunStatus, limit: RunLimit | undefined, reason: string | undefined, error: unknown): string {
  const because = reason === undefined ? '' : `: ${reason}`;
  if (status === 'incomplete') return `did not finish (limit '${limit ?? 'unknown'}')${because}`;
  if (status === 'vetoed') return `was stopped${because}`;
  if (status === 'aborted') return `was aborted${because}`;
  const thrown = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return `failed: ${textOf(thrown)}`;
}
