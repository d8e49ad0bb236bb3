/** The plugin `redact`: secrets are taken out of requests, tool results and output before anybody sees them. */
import {
  definePlugin,
  type FromRun,
  type LLMRequest,
  type ModelOutput,
  type Plugin,
  type ToolCallResult,
} from '@treblehook/types';
import { Masker } from './masker.js';
import { maskedHistory, maskedInjected } from './messages.js';
import { configSchema } from './settings.js';
import { Vaults } from './vault.js';

export type { RedactConfig } from './settings.js';

const plugin: Plugin = definePlugin({
  id: 'redact',
  config: configSchema,
  setup({ hooks, config: rules, onDispose }) {
    const vaults = new Vaults(rules.placeholder);
    onDispose(() => vaults.clear());
    const maskerOf = ({ origin }: FromRun): Masker => new Masker(rules, vaults.of(origin));

    hooks.registerVoid('sessionStart', ({ origin, how }) => void (how === 'opened' && vaults.open(origin)), {
      id: 'open',
    });
    hooks.registerVoid('sessionEnd', ({ origin }) => vaults.close(origin), { id: 'close' });

    hooks.registerModifying(
      'beforeLLM',
      closed('the request', (request: LLMRequest) => {
        const { seen } = vaults.of(request.origin);
        const masker = maskerOf(request);
        const messages = maskedHistory(request.messages, masker, seen);
        const injected = maskedInjected(request.inject, masker, seen);
        return {
          ...(messages === request.messages ? {} : { messages }),
          ...(injected === request.inject ? {} : { replaceInject: injected }),
        };
      }),
      { id: 'requests', onError: 'abort' },
    );

    hooks.registerModifying(
      'afterTool',
      closed('the result of the tool', (call: ToolCallResult) => {
        const { result } = call;
        const masker = maskerOf(call);
        const output = masker.text(result.output);
        const metadata = masker.json(result.metadata);
        if (output === result.output && metadata === result.metadata) return undefined;
        return { result: { output, isError: result.isError, ...(metadata === undefined ? {} : { metadata }) } };
      }),
      { id: 'results', onError: 'abort' },
    );

    hooks.registerModifying(
      'beforeOutput',
      closed('the output', (block: ModelOutput) => {
        const text = maskerOf(block).text(block.text);
        return text === block.text ? undefined : { text };
      }),
      { id: 'output', onError: 'abort' },
    );
  },
});

export default plugin;

/** A fault withholds, and says nothing of what it was about: neither its text nor its cause is told. */
const closed =
  <P, A>(what: string, mask: (payload: P) => A) =>
  (payload: P): A => {
    try {
      return mask(payload);
    } catch (error) {
      throw new Error(`${what} could not be redacted and is withheld (${nameOf(error)})`, { cause: error });
    }
  };

const nameOf = (error: unknown): string =>
  error instanceof RangeError ? 'RangeError' : error instanceof TypeError ? 'TypeError' : 'Error';
