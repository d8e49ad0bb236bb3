/** Faults of an answer that has begun: a cut connection, garbage in the stream, an error that the provider reports in it. */
import { isTransientStatus, HookError, textOf } from '@treblehook/types';
import type { Call } from './call.js';
import { cleanCause } from './clean-cause.js';
import { line, messageIn, parsed } from './error-body.js';

/** `cut`: it ended too early. `garbage`: it is no event stream of this dialect. `error`: the provider says so in it. */
export type StreamFaultKind = 'cut' | 'garbage' | 'error';

const shown = 300;
/** Types and codes of errors in a stream that pass by themselves. */
const transient = /overload|rate.?limit|timeout|server.?error|api_error|unavailable/i;

export function cutFault(call: Call, error?: unknown): HookError {
  const odd = call.oddType === undefined ? '' : ` (the answer is ${call.oddType}, no event stream: check the base URL)`;
  const isPage = /html|json|xml/.test(call.oddType ?? '');
  const what = `it ended before the answer was finished${odd}`;
  return fault(call, isPage ? 'garbage' : 'cut', what, !isPage, error);
}

/** An `error` part of the stream, or what the provider package threw when it had the answer in hand. */
export function streamFault(call: Call, error: unknown): HookError {
  const told = reported(error);
  if (told !== undefined) {
    const { type, words, retryable } = told;
    return fault(
      call,
      'error',
      `the provider reports ${type === undefined ? '' : `${type}: `}${words}`,
      retryable,
      error,
      type,
    );
  }
  if (isUnreadable(error)) {
    return fault(call, 'garbage', `it carries what is no event of this dialect: ${textOf(error)}`, false, error);
  }
  return cutFault(call, error);
}

function fault(
  call: Call,
  kind: StreamFaultKind,
  what: string,
  retryable: boolean,
  error: unknown,
  type?: string,
): HookError {
  const { redact, endpoint } = call;
  return new HookError('TH_MODEL_STREAM', {
    endpoint: redact(endpoint),
    what: line(redact(what), shown),
    kind,
    ...(type === undefined ? {} : { type: redact(type) }),
    retryable,
    cause: error instanceof Error ? cleanCause(error, redact) : undefined,
  });
}

interface Reported {
  readonly type: string | undefined;
  readonly words: string;
  readonly retryable: boolean;
}

/** What a provider said: the error object of its event, or the package's error with the event as `responseBody`. */
function reported(error: unknown): Reported | undefined {
  if (typeof error === 'string') return { type: undefined, words: error, retryable: false };
  if (typeof error !== 'object' || error === null) return undefined;
  const { responseBody } = error as { responseBody?: unknown };
  if (error instanceof Error && typeof responseBody !== 'string') return undefined;
  const event = error instanceof Error ? parsed(responseBody as string) : error;
  const words = messageIn(event);
  if (words === undefined) return undefined;
  const inner = (event as { error?: unknown }).error;
  const { type, code } = (typeof inner === 'object' && inner !== null ? inner : event) as Record<string, unknown>;
  const status = Number(code);
  return {
    type: typeof type === 'string' ? type : undefined,
    words,
    retryable:
      (Number.isInteger(status) && isTransientStatus(status)) ||
      transient.test(`${textOf(type ?? '')} ${textOf(code ?? '')}`),
  };
}

/** By name, since a provider package may be there twice. Some packages wrap a first event that they cannot read. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseBody } = error as { responseBody?: unknown };
  const wrapped =
    typeof responseBody === 'string' ? (parsed(responseBody) as { name?: unknown } | undefined) : undefined;
  const name = `${error.name} ${textOf(wrapped?.name ?? '')}`;
  if (/JSONParse|TypeValidation|UnsupportedFunctionality/.test(name)) return true;
  return /InvalidResponseData/.test(name) && !/without a finish reason/.test(error.message);
}
