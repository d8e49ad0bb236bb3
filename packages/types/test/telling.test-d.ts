/** Pins that what a registry tells is as precise as what it was told. */
import type {
  AgentHooks,
  Discipline,
  HandlerFault,
  HookModel,
  HookRegistry,
  PayloadKind,
  PointDescription,
  VerdictKind,
} from '../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;
declare const registry: HookRegistry<AgentHooks>;

registry.events.on('denied', ({ kind }) => void holds<Same<typeof kind, VerdictKind>>());
registry.events.on('handlerFailed', (fault) => void holds<Same<typeof fault, HandlerFault>>());

const [point] = registry.describe().hooks;
holds<Same<typeof point, PointDescription | undefined>>();
holds<Same<PointDescription['model'], HookModel>>();
holds<Same<PointDescription['discipline'], Discipline>>();
holds<Same<NonNullable<PointDescription['fields']>[string], PayloadKind>>();
// @ts-expect-error a mark says that a field may be missing, and stands behind its kind only
export const kind: PayloadKind = '?string';
