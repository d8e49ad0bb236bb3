/** A plugin as somebody else writes one: hook points and settings of its own, a tool that fires them. */
import {
  definePlugin,
  defineTool,
  modifyingHook,
  settingsSchema,
  voidHook,
  type AgentHooks,
  type HookRegistrar,
} from '@treblehook/types';

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

export const notes = definePlugin({
  id: 'notes',
  hooks: notesHooks,
  config: settingsSchema((settings) => ({ mark: settings.fields(['mark']).mark?.text() ?? '-' })),
  setup({ hooks, tools, config, log }) {
    hooks.registerVoid('notesTaken', ({ text }) => log.info('taken', { text }), { id: 'log' });
    hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: 'Take notes.' }), { id: 'line' });
    tools.register(
      defineTool({
        name: 'take_note',
        description: 'Takes a note.',
        input: settingsSchema((args) => ({ text: args.fields(['text']).text?.text() ?? '' })),
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        async execute({ text }, { fire }) {
          const amended = (await fire.fireModifying('notesTaking', { text })) as Partial<Note> | undefined;
          const taken = `${config.mark} ${amended?.text ?? text}`;
          await fire.fireVoid('notesTaken', { text: taken });
          return taken;
        },
      }),
    );
  },
});

/** A second one, which knows the points of the first. */
export const loud = definePlugin({
  id: 'loud',
  setup(api) {
    const hooks = api.hooks as HookRegistrar<AgentHooks & typeof notesHooks>;
    hooks.registerModifying('notesTaking', ({ text }) => ({ text: text.toUpperCase() }), { id: 'upper' });
    // @ts-expect-error the key is misspelt
    const refused = () => hooks.registerModifying('notesTaking', () => ({ txet: '' }));
    api.onDispose(() => void refused);
  },
});
