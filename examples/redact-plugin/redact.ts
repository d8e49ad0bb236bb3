/** A plugin: it hides mail addresses in what tools answer. It needs the contracts and nothing else. */
import { definePlugin } from '@treblehook/types';

const address = /[\w.+-]+@[\w-]+(\.[\w-]+)+/g;

export const redact = definePlugin({
  id: 'mail-redact',
  setup({ hooks }) {
    hooks.registerModifying(
      'afterTool',
      ({ result }) => ({ result: { ...result, output: result.output.replaceAll(address, '[address]') } }),
      { id: 'addresses', onError: 'abort' }, // when it fails, the result is withheld
    );
  },
});
