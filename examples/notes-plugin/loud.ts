/** A plugin that knows the points of another one: it writes its notes in capitals. */
import { definePlugin, type AgentHooks, type HookRegistrar } from '@treblehook/types';
import type { notesHooks } from './notes.js';

export default definePlugin({
  id: 'loud',
  setup(api) {
    const hooks = api.hooks as HookRegistrar<AgentHooks & typeof notesHooks>;
    hooks.registerModifying('notesTaking', ({ text }) => ({ text: text.toUpperCase() }), { id: 'capitals' });
  },
});
