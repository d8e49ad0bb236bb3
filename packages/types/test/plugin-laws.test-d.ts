/** Pins what the compiler promises and refuses at a plugin's side, which sees a registrar and its own catalogue only. */
import {
  agentHooks,
  claimingHook,
  defineHooks,
  modifyingHook,
  voidHook,
  type AgentHooks,
  type HookRegistrar,
  type HookRegistry,
} from '../src/index.js';

const tickets = defineHooks({
  ticketOpened: voidHook<{ readonly id: number }>({ summary: 'A ticket is opened.', owner: 'tickets' }),
  ticketTitle: modifyingHook<{ readonly title: string }, { readonly title: string }>({
    discipline: 'pipeline',
    summary: 'Before a title is stored.',
    keys: { title: 'string' },
    owner: 'tickets',
  }),
  ticketClose: claimingHook<{ readonly id: number }>({ discipline: 'guard', summary: 'Before a ticket is closed.' }),
});
const all = defineHooks(agentHooks, tickets);
type All = typeof all;

// A plugin that was written against the agent's points alone is given the registrar of a bigger catalogue.
export const install = (hooks: HookRegistrar<AgentHooks>): void => {
  hooks.registerModifying('beforeLLM', (request) => ({ model: request.model }), { id: 'echo', before: ['route-gate'] });
  hooks.registerClaiming('toolPolicy', (call) => (call.tool.name === 'shell' ? { deny: 'no shell' } : undefined));
  hooks.registerVoid('toolEnd', (end) => void end.record.verdicts.length);
  // @ts-expect-error a plugin's guard cannot allow either
  hooks.registerClaiming('toolPolicy', () => ({ handled: true }));
  // @ts-expect-error a point of another catalogue
  hooks.registerVoid('ticketOpened', () => undefined);
  // @ts-expect-error a registrar does not fire
  hooks.fireVoid('sessionEnd', {});
  // @ts-expect-error nor does it remove or replace others
  hooks.unregisterPlugin('compaction');
};
declare const registry: HookRegistry<All>;
install(registry.forPlugin('acme'));

// A plugin with points of its own sees both catalogues, and fires its own in its handlers.
export const own = (hooks: HookRegistrar<All>): void => {
  hooks.registerVoid('ticketOpened', (ticket) => void ticket.id.toFixed());
  hooks.registerVoid('toolEnd', async (end, ctx) => {
    await ctx.fire.fireVoid('ticketOpened', { id: end.ms });
    const title: string | undefined = (await ctx.fire.fireModifying('ticketTitle', { title: 't' }))?.title;
    void title;
    // @ts-expect-error the payload of one's own point is checked too
    await ctx.fire.fireVoid('ticketOpened', { id: 'one' });
  });
  // @ts-expect-error a misspelt key of one's own amendment
  hooks.registerModifying('ticketTitle', () => ({ titel: 't' }));
  // @ts-expect-error a guard without detail takes none
  hooks.registerClaiming('ticketClose', () => ({ ask: '?', detail: 'd' }));
  // @ts-expect-error a ticket is read-only
  hooks.registerVoid('ticketOpened', (ticket) => (ticket.id = 2));
  // @ts-expect-error nobody knows the point
  hooks.registerVoid('ticketClosed', () => undefined);
};
own(registry.forPlugin('tickets'));

declare const agentOnly: HookRegistry<AgentHooks>;
// @ts-expect-error a registry without the plugin's points cannot host it
own(agentOnly.forPlugin('tickets'));
