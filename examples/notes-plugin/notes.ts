/** A plugin with settings, a tool, and hook points of its own, which the tool fires. */
import { definePlugin, defineTool, modifyingHook, settingsSchema, voidHook } from '@treblehook/types';

interface Note {
  readonly text: string;
}

/** What other plugins register on. */
export const notesHooks = {
  notesTaking: modifyingHook<Note, Note>({
    discipline: 'pipeline',
    summary: 'Before a note is taken: its text can be rewritten.',
    fields: { text: 'string' },
    keys: { text: 'string' },
  }),
  notesTaken: voidHook<Note>({ summary: 'A note was taken.', fields: { text: 'string' } }),
};

export default definePlugin({
  id: 'notes',
  hooks: notesHooks,
  config: settingsSchema((settings) => ({ mark: settings.fields(['mark']).mark?.text() ?? '-' })),
  setup({ hooks, tools, config, log }) {
    hooks.registerVoid('notesTaken', ({ text }) => log.info('taken', { text }), { id: 'log' });
    tools.register(
      defineTool({
        name: 'take_note',
        description: 'Takes a note.',
        input: settingsSchema((args) => ({ text: args.fields(['text']).text?.text() ?? '' })),
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        async execute({ text }, { fire }) {
          const amended: Partial<Note> | undefined = await fire.fireModifying('notesTaking', { text });
          const taken = `${config.mark} ${amended?.text ?? text}`;
          await fire.fireVoid('notesTaken', { text: taken });
          return taken;
        },
      }),
    );
  },
});
