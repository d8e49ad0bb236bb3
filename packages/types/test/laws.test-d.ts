/** Pins what the compiler refuses at the host's side: declaring, registering, firing and configuring. */
import {
  agentHooks,
  claimingHook,
  defineHooks,
  modifyingHook,
  voidHook,
  type AgentHooks,
  type ClaimingHooks,
  type HookCaller,
  type HookRegistrar,
  type HookRegistry,
  type LLMRequest,
  type ModifyingHooks,
  type NamesOf,
  type RegistryOptions,
  type SealedToolCall,
  type VoidHooks,
} from '../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

interface Order {
  readonly id: number;
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
  readonly note?: string;
}
interface Quote {
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
  readonly refusal: string;
}
const shop = defineHooks({
  placed: voidHook<Order>({ summary: 'An order is placed.' }),
  quote: modifyingHook<Order, Quote>({
    discipline: 'pipeline',
    summary: 'Before an order is priced.',
    fields: { id: 'number', lines: 'array', note: 'string?' },
    keys: { lines: 'array', refusal: 'string' },
    collect: ['lines'],
    terminal: ['refusal'],
    locks: { stock: ['lines'] },
  }),
  label: modifyingHook<Order, { readonly text: string; readonly tags: readonly string[] }>({
    discipline: 'merge',
    summary: 'Once, before a label is printed.',
    keys: { text: 'string', tags: 'strings' },
    collect: ['tags'],
    hostKeys: ['text'],
  }),
  ship: claimingHook<Order, { readonly detail: string }>({
    discipline: 'guard',
    summary: 'Before an order leaves the house.',
    keys: { detail: 'string' },
  }),
  carrier: claimingHook<Order, { readonly name: string }>({
    discipline: 'route',
    summary: 'Who carries the order.',
    keys: { name: 'string' },
  }),
});
type Shop = typeof shop;
declare const registry: HookRegistry<Shop>;
declare const caller: HookCaller<Shop>;
declare const agent: HookRegistry<AgentHooks>;
declare const request: LLMRequest;
declare const call: SealedToolCall;

// Names, payloads and results come from the one value.
holds<Same<NamesOf<Shop, 'void'>, 'placed'>>();
holds<Same<NamesOf<Shop, 'modifying'>, 'quote' | 'label'>>();
holds<Same<NamesOf<Shop, 'claiming'>, 'ship' | 'carrier'>>();
holds<Same<VoidHooks<Shop>['placed']['payload'], Order>>();
holds<Same<ModifyingHooks<Shop>['quote']['result'], Quote>>();
holds<Same<ClaimingHooks<Shop>['carrier']['result'], { readonly name: string }>>();

// What is legal needs no type argument.
registry.registerVoid('placed', (order) => void order.lines.length);
registry.registerVoid('placed', async (_order, ctx) => ctx.signal.throwIfAborted(), { timeoutMs: 'caller' });
registry.registerModifying('quote', (order) => (order.note === '' ? { refusal: '' } : undefined), { onError: 'abort' });
registry.registerModifying('quote', (order) => (order.id > 1 ? { lines: order.lines.slice(1) } : { refusal: 'no' }));
registry.registerModifying('quote', async () => null);
registry.registerModifying('label', (_order, ctx) => (ctx.merged.tags ? undefined : { tags: ['fragile'] }));
registry.registerClaiming('ship', (order) => (order.id === 0 ? { deny: 'no', halt: true } : { ask: '?', detail: 'd' }));
registry.registerClaiming('ship', async () => ({ handled: false }));
registry.registerClaiming('carrier', (order) => (order.id > 9 ? { handled: true, name: 'air' } : { handled: false }));
registry.registerClaiming('ship', async (order) => (order.id === 0 ? { deny: 'no', halt: true } : undefined));
registry.registerClaiming('carrier', async () => ({ handled: true, name: 'air' }));
registry.registerClaiming('carrier', async (order) => {
  if (order.id > 9) return { handled: true, name: 'air' };
  return { handled: false };
});
agent.registerModifying('beforeLLM', (r) => ({ messages: r.messages.slice(-2), settings: { temperature: 0 } }));
agent.registerClaiming('toolPolicy', (c) => (c.tool.name === 'shell' ? { deny: 'no shell' } : undefined));

// A fire resolves to what its discipline gives.
const quoted = await caller.fireModifying('quote', { id: 1, lines: [] });
const refusal: string | undefined = quoted?.refusal;
const verdict = await caller.fireClaiming('ship', { id: 1, lines: [] });
holds<Same<typeof verdict.decision, 'clear' | 'deny' | 'ask'>>();
const asked: string | undefined = verdict.asks[0]?.detail;
const claim = await caller.fireClaiming('carrier', { id: 1, lines: [] });
const name: string = claim.handled ? claim.name : 'nobody';
export const used = [refusal, asked, name];

// Wrong model.
// @ts-expect-error a modifying point takes no Void handler
registry.registerVoid('quote', () => undefined);
// @ts-expect-error a guard is no modifying point
registry.registerModifying('ship', () => undefined);
// @ts-expect-error a Void point claims nothing
registry.registerClaiming('placed', () => undefined);
// @ts-expect-error a modifying point is not fired as Void
void caller.fireVoid('quote', { id: 1, lines: [] });
// @ts-expect-error a claiming point is not fired as modifying
void caller.fireModifying('ship', { id: 1, lines: [] });

// Unknown names.
// @ts-expect-error 'plased' is misspelt
registry.registerVoid('plased', () => undefined);
// @ts-expect-error nobody declared 'quot'
void caller.fireModifying('quot', { id: 1, lines: [] });
// @ts-expect-error a plan of a point that is not there
registry.plan('quot');

// A Void handler returns nothing.
// @ts-expect-error a returned number would be ignored
registry.registerVoid('placed', () => 5);
// @ts-expect-error a promised number would be ignored
registry.registerVoid('placed', async () => 5);
// @ts-expect-error a returned amendment would be ignored
registry.registerVoid('placed', () => ({ refusal: 'no' }));

// A guard cannot allow.
// @ts-expect-error there is no allow
registry.registerClaiming('ship', () => ({ allow: true }));
// @ts-expect-error a guard claims nothing, and cannot decide 'allow'
registry.registerClaiming('ship', () => ({ handled: true, decision: 'allow' }));
// @ts-expect-error one branch that allows is enough
registry.registerClaiming('ship', (order) => (order.id === 0 ? { deny: 'no' } : { allow: true }));
// @ts-expect-error a reason is a string
registry.registerClaiming('ship', () => ({ deny: true }));
// @ts-expect-error halt is true or missing
registry.registerClaiming('ship', () => ({ deny: 'no', halt: false }));
// @ts-expect-error an ask carries the declared detail only
registry.registerClaiming('ship', () => ({ ask: '?', detial: 'd' }));
// @ts-expect-error an allow through a promise
agent.registerClaiming('toolPolicy', async () => ({ allow: true }));
// @ts-expect-error a claim without `handled` is none
registry.registerClaiming('carrier', () => ({ name: 'air' }));
// @ts-expect-error a claim carries all that the point declares
registry.registerClaiming('carrier', () => ({ handled: true }));

// Amendment keys.
// @ts-expect-error only an unknown key
registry.registerModifying('quote', () => ({ refusl: 'no' }));
// @ts-expect-error a known key does not hide an unknown one
registry.registerModifying('quote', () => ({ refusal: 'no', linse: [] }));
// @ts-expect-error nor does a promise
registry.registerModifying('quote', async () => ({ refusal: 'no', linse: [] }));
// @ts-expect-error nor does a branch
registry.registerModifying('quote', (order) => (order.id > 1 ? { refusal: 'no', linse: [] } : undefined));
// @ts-expect-error a value of another type
registry.registerModifying('quote', () => ({ refusal: 5 }));
// @ts-expect-error an id is no key of an amendment though the payload has it
registry.registerModifying('quote', () => ({ id: 2 }));
// @ts-expect-error a string is no amendment
registry.registerModifying('quote', () => 'no');

// Payloads at the fire site.
// @ts-expect-error 'lines' is missing
void caller.fireModifying('quote', { id: 1 });
// @ts-expect-error 'sku' is missing, deep inside
void caller.fireVoid('placed', { id: 1, lines: [{ count: 1 }] });
// @ts-expect-error 'id' is a number
void caller.fireClaiming('ship', { id: '1', lines: [] });
const { model: _, ...withoutModel } = request;
// @ts-expect-error a request without a model
void agent.fireModifying('beforeLLM', withoutModel);
const { digest: __, ...unsealed } = call;
// @ts-expect-error a call without its digest is not sealed
void agent.fireClaiming('toolPolicy', unsealed);

// Payloads are deeply read-only.
registry.registerModifying('quote', (order) => {
  // @ts-expect-error a field cannot be written
  order.id = 2;
});
registry.registerModifying('quote', (order) => {
  // @ts-expect-error a list cannot grow
  order.lines.push({ sku: 'x', count: 1 });
});
agent.registerModifying('beforeLLM', (r) => {
  // @ts-expect-error nor can a part of a message change
  r.messages[0]!.content[0]!.type = 'text';
});
registry.registerModifying('label', (_order, ctx) => {
  // @ts-expect-error what others have set cannot be written
  ctx.merged.text = 'mine';
});
registry.registerModifying('quote', (_order, ctx) => {
  // @ts-expect-error `merged` exists on merge points only
  void ctx.merged;
});
registry.registerClaiming('ship', (_order, ctx) => {
  // @ts-expect-error `merged` exists on merge points only
  void ctx.merged;
});

// Options.
// @ts-expect-error a guard's faults are denials: it has no onError
registry.registerClaiming('ship', () => undefined, { onError: 'abort' });
// @ts-expect-error nor has a route
registry.registerClaiming('carrier', () => undefined, { onError: 'isolate' });
// @ts-expect-error nor has an observer
registry.registerVoid('placed', () => undefined, { onError: 'abort' });
// @ts-expect-error onError can only tighten
registry.registerModifying('quote', () => undefined, { onError: 'ignore' });
// @ts-expect-error locks are the host's, not a registration's
registry.registerModifying('quote', () => undefined, { locks: ['lines'] });
// @ts-expect-error there are no priorities
registry.registerModifying('quote', () => undefined, { priority: 10 });
// @ts-expect-error a budget is a number of ms or 'caller'
registry.registerVoid('placed', () => undefined, { timeoutMs: 'never' });
// @ts-expect-error plugin ids or 'all'
registry.scoped({ plugins: 'some' });

// The registry's own options.
// @ts-expect-error the order of a point that is not there
export const badOrder: RegistryOptions<Shop> = { order: { qoute: ['*'] } };
// @ts-expect-error a Void point has no locks
export const badLocks: RegistryOptions<Shop> = { locks: { placed: { stock: ['lines'] } } };
// @ts-expect-error a guard has no locks
export const badGuardLocks: RegistryOptions<AgentHooks> = { locks: { toolPolicy: { policy: ['detail'] } } };
// @ts-expect-error one list, no number
export const badList: RegistryOptions<Shop> = { order: { quote: 1 } };
// @ts-expect-error budgets are ms
export const badBudget: RegistryOptions<Shop> = { budgets: { quote: '5s' } };

// A bigger registry serves who knows the smaller catalogue, not the other way round.
const both = defineHooks(agentHooks, shop);
declare const big: HookRegistry<typeof both>;
export const asShop: HookRegistry<Shop> = big;
export const asShopCaller: HookCaller<Shop> = big.scoped({});
export const asShopRegistrar: HookRegistrar<Shop> = big.forPlugin('acme');
// @ts-expect-error the shop's registry lacks the agent's points
export const asBoth: HookRegistry<typeof both> = registry;
// @ts-expect-error so does its caller
export const asBothCaller: HookCaller<typeof both> = caller;

// Declaring twice.
// @ts-expect-error both declare 'placed'
defineHooks(shop, defineHooks({ placed: voidHook<{ readonly at: number }>({ summary: '' }) }));
// @ts-expect-error so do the first and the third
defineHooks(shop, agentHooks, { quote: voidHook<{ readonly at: number }>({ summary: '' }) });
