/** What an author's setup knows, and what it must not compile. */
import { definePlugin, defineHooks, voidHook, type HookCaller, type StandardSchema, type Tool } from '../src/index.js';

declare const config: StandardSchema<any, { limit: number }>;
const points = defineHooks({ ticketOpened: voidHook<{ id: number }>({ summary: '' }) });

export const bare = definePlugin({
  id: 'bare',
  setup({ hooks, config: none }) {
    hooks.registerModifying('beforeLLM', ({ model }) => ({ model }));
    ((nothing: undefined) => nothing)(none);
    // @ts-expect-error not a point of the loop, nor of this plugin
    hooks.registerVoid('ticketOpened', () => {});
    // @ts-expect-error a guard has no allow
    hooks.registerClaiming('toolPolicy', () => ({ allow: true }));
  },
});

export const own = definePlugin({
  id: 'own',
  hooks: points,
  config,
  async setup({ hooks, config: { limit }, tools, log, onDispose }) {
    hooks.registerVoid('ticketOpened', ({ id }) => void (id + limit));
    hooks.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'x' ? { deny: 'no' } : undefined));
    log.info('ready', { limit });
    onDispose(async () => {});
    // @ts-expect-error nobody is asked to register a tool as somebody else's
    tools.register({ name: 'x', description: '', input: config, source: 'mcp:files', execute: () => '' });
    // @ts-expect-error a payload of another shape
    hooks.registerVoid('ticketOpened', ({ ids }) => void ids);
  },
});

// @ts-expect-error setup is missing
definePlugin({ id: 'none' });

/** Of a tool: whose it is, and what its body may fire. */
export const sources: readonly Tool['source'][] = ['plugin:acme', 'mcp:files'];
// @ts-expect-error the host's own say nothing
export const ofHost: Tool['source'] = 'host';
export const told: Tool['execute'] = async (_, { fire }) => {
  const caller: HookCaller<typeof points> = fire;
  await caller.fireVoid('ticketOpened', { id: 1 });
  return 'told';
};
