/** A model of a provider package as a model port: its faults are errors of ours, its answer is an async iterable. */
import {
  HookError,
  textOf,
  type ModelCallOptions,
  type ModelPort,
  type ModelStreamPart,
  type ReadableLike,
} from '@treblehook/types';
import { Call, ownFault } from './call.js';
import { cleanCause } from './clean-cause.js';
import type { Dialect } from './dialect.js';
import { line } from './error-body.js';
import type { ProviderName } from './model-string.js';
import { PartStream } from './part-stream.js';
import type { ProviderModel } from './provider-model.js';
import { secretsOf } from './secrets.js';
import { streamFault } from './stream-fault.js';
import { spelledAlike } from './transport.js';

const shownWords = 300;

export interface PortParts {
  readonly provider: ProviderName;
  readonly url: string;
  readonly dialect: Dialect;
  readonly secrets: readonly string[];
  /** Where the transport finds a call by its signal. */
  readonly calls: WeakMap<AbortSignal, Call>;
}

/** Keeps keys off what can be printed: the parts are in a closure. */
export function providerPort(model: ModelPort, parts: PortParts): ProviderModel {
  const { provider, url, dialect, calls } = parts;
  return Object.freeze({
    ...(model.specificationVersion === undefined ? {} : { specificationVersion: model.specificationVersion }),
    provider,
    modelId: model.modelId,
    async doStream(options: ModelCallOptions) {
      const { abortSignal } = options;
      const headers = spelledAlike(options.headers ?? {});
      abortSignal?.throwIfAborted();
      const call = new Call(url, [...parts.secrets, ...secretsOf(Object.entries(headers))], abortSignal);
      calls.set(call.signal, call);
      try {
        const spelled = dialect.spell(options, model.modelId);
        const result = await call.wait(model.doStream({ ...spelled, headers, abortSignal: call.signal }));
        // what both kinds of package give is a `ReadableStream`
        const stream = new PartStream(result.stream as ReadableLike<ModelStreamPart>, call, dialect.usage);
        return { ...result, stream };
      } catch (error) {
        call.end();
        if (call.aborted) throw call.reason;
        throw ownFault(error) ?? (call.sent ? streamFault(call, error) : unsendable(call, error));
      }
    },
  });
}

function unsendable(call: Call, error: unknown): HookError {
  const { redact, endpoint } = call;
  const what = line(redact(textOf(error)), shownWords);
  return new HookError('TH_MODEL_REQUEST', { endpoint: redact(endpoint), what, cause: cleanCause(error, redact) });
}
