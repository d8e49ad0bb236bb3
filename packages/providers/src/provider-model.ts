/** The kind of model port that this package gives. */
import type { ModelCallOptions, ModelPort, ModelStreamPart, ModelStreamResult } from '@treblehook/types';
import type { ProviderName } from './model-string.js';

/** A model port whose stream is an async iterable: it ends with `finish`, or it throws. */
export interface ProviderModel extends ModelPort {
  readonly provider: ProviderName;
  doStream(options: ModelCallOptions): Promise<ModelStreamResult & { readonly stream: AsyncIterable<ModelStreamPart> }>;
}
