/** Runs a scenario on the kernel under fake timers and tells what happened in the words of the reference. */
import assert from 'node:assert/strict';
import { claimingHook, defineHooks, HookError, modifyingHook, voidHook } from '@treblehook/types';
import { createHookRegistry } from '../../src/index.js';
import { pass, settle } from '../support/clock.js';
import {
  anonymous,
  valueOf,
  type Act,
  type Entry,
  type FireSpec,
  type HandlerSpec,
  type PointSpec,
  type Report,
  type Scenario,
  type Step,
} from './scenario.js';

export interface Driven extends Entry {
  /** The caller's signal aborted. */
  readonly aborted: boolean;
}

const register = { void: 'registerVoid', modifying: 'registerModifying', claiming: 'registerClaiming' } as const;
const fire = { void: 'fireVoid', modifying: 'fireModifying', claiming: 'fireClaiming' } as const;
export const modelOf = ({ discipline }: PointSpec): keyof typeof register =>
  discipline === 'observe' ? 'void' : discipline === 'merge' || discipline === 'pipeline' ? 'modifying' : 'claiming';

function entryOf(p: PointSpec): any {
  const meta: any = { summary: 'A point.', discipline: p.discipline, keys: p.keys };
  if (p.fields) meta.fields = { x: 'number' };
  if (p.budgetMs !== undefined) meta.budgetMs = p.budgetMs;
  if (p.order) meta.order = p.order;
  if (p.locks) meta.locks = p.locks;
  if (modelOf(p) === 'void') return voidHook(meta);
  if (modelOf(p) === 'claiming') return claimingHook(meta);
  meta.check = (_: unknown, amendment: any) => (amendment.c === 'bad' ? 'c is bad' : undefined);
  return modifyingHook({
    ...meta,
    collect: p.collect,
    hostKeys: p.hostKeys,
    ...(p.terminal.length > 0 && { terminal: p.terminal }),
  });
}
const given = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, v]) => v !== undefined));
const codeOf = (error: unknown): string => (error instanceof HookError ? error.code : 'threw');

class World {
  saw: any[] = [];
  refused: string[] = [];
  reports: Report[] = [];
  told: any[] = [];
  fired: any[] = [];
  readonly problems: string[] = [];
  controller = new AbortController();
  readonly labels = new Map<number, () => void>();
  readonly registry: any;

  constructor(readonly s: Scenario) {
    const catalogue = defineHooks(Object.fromEntries(s.points.map((p) => [p.name, entryOf(p)])));
    this.registry = createHookRegistry(catalogue, {
      order: s.order,
      locks: s.locks,
      budgets: s.budgets,
      plugins: s.plugins,
    } as any);
    for (const type of ['handlerFailed', 'handlerTimedOut', 'amendmentRefused', 'keyShadowed']) {
      this.registry.events.on(type, ({ hook, by, code, key, late, error }: any) => {
        const consistent = by.hook === hook && error.code === code && error.handlerId === by.id && error.hook === hook;
        if (!consistent || error.owner !== by.owner) this.problems.push(`${type}: ${error.message}`);
        this.reports.push({ id: anonymous(by.id), code, ...(key && { key }), ...(late && { late }) });
      });
    }
    this.registry.events.on('claimed', ({ by }: any) => this.told.push({ type: 'claimed', id: anonymous(by.id) }));
    this.registry.events.on('denied', ({ by, kind, code }: any) =>
      this.told.push({ type: 'denied', id: anonymous(by.id), kind, ...(code && { code }) }),
    );
  }
  point(name: string): PointSpec {
    return this.s.points.find((p) => p.name === name)!;
  }
  handler(spec: HandlerSpec): (payload: any, ctx: any) => unknown {
    const { discipline } = this.point(spec.point);
    const answer = (payload: any): unknown => {
      if (spec.answer.is === 'throw') throw new Error('boom');
      if (spec.answer.is === 'mutate') payload.deep.y = 'written';
      return valueOf(spec.answer, discipline);
    };
    return (payload, ctx) => {
      const { merged } = ctx;
      this.saw.push(structuredClone({ label: spec.label, payload, ...(discipline === 'merge' && { merged }) }));
      for (const a of spec.acts) {
        try {
          this.act(a);
        } catch (error) {
          this.refused.push(codeOf(error));
        }
      }
      if (spec.sneaks) sneak(payload, merged);
      switch (spec.mode) {
        case 'sync':
          return answer(payload);
        case 'async':
          return Promise.resolve().then(() => answer(payload));
        case 'thenable':
          // oxlint-disable-next-line unicorn/no-thenable
          return { then: (go: any, no: any) => void Promise.resolve(payload).then(answer).then(go, no) };
        case 'slow':
          return new Promise((go) => setTimeout(go, 60)).then(() => answer(payload));
        case 'hang':
          return new Promise(() => undefined);
      }
    };
  }
  register(spec: HandlerSpec, registrar: any, own: boolean): void {
    const { id, before, after, timeoutMs, onError, owner } = spec;
    const pluginId = own || owner === 'host' ? undefined : owner;
    const options = given({ id, before, after, timeoutMs, onError, pluginId });
    const off = registrar[register[modelOf(this.point(spec.point))]](spec.point, this.handler(spec), options);
    this.labels.set(spec.label, off);
  }
  act(a: Act): void {
    if (a.do === 'abort') this.controller.abort(new Error('stop'));
    if (a.do === 'unregister') this.labels.get(a.label)?.();
    if (a.do === 'unregisterPlugin') this.registry.unregisterPlugin(a.owner);
    if (a.do === 'register') {
      const own = a.handler.owner !== 'host' && a.handler.label % 2 === 0;
      this.register(a.handler, own ? this.registry.forPlugin(a.handler.owner) : this.registry, own);
    }
    if (a.do === 'replace' && !this.cyclic()) {
      this.registry.replace(a.owner, (registrar: any) => {
        for (const spec of a.handlers) this.register(spec, registrar, true);
        if (a.fails) throw new Error('no');
      });
    }
  }
  /** A replacement under a cycle that stood before is left out: the law does not say whose fault it is. */
  cyclic(): boolean {
    try {
      for (const { name } of this.s.points) this.registry.plan(name);
      return false;
    } catch {
      return true; // swallows TH_ORDER_CYCLE: it is the answer
    }
  }
  async fire(f: FireSpec, quiet: boolean): Promise<unknown> {
    const p = this.point(f.point);
    const { signal } = this.controller;
    if (f.aborted) this.controller.abort(new Error('stop'));
    const direct = quiet && f.guards.length === 0 && f.without.length === 0 && !f.aborted;
    const payload = structuredClone(f.payload);
    const off = f.watched ? this.registry.events.on('fired', (e: any) => this.fired.push(e)) : () => undefined;
    const { plugins, guards, without } = f;
    const method = fire[modelOf(p)];
    const running: Promise<unknown> = direct
      ? this.registry[method](p.name, payload, ...(plugins === undefined ? [] : [plugins]))
      : this.registry.scoped({ ...given({ plugins }), guards, without, signal })[method](p.name, payload);
    const settled = await settle(running).then(
      (value) => ({ value, error: undefined }),
      (error: any) => ({ value: undefined, error }),
    );
    await pass(125);
    off();
    assert.deepEqual(payload, f.payload);
    assert.equal(Object.isFrozen(payload), false);
    assert.deepEqual(this.problems, []);
    if (settled.error === undefined) return told(settled.value, p);
    assert.ok(settled.error instanceof HookError);
    if (settled.error.code === 'TH_ABORTED') assert.equal(settled.error.cause, signal.reason);
    const { code, handlerId } = settled.error;
    return handlerId === undefined ? code : { error: code, by: anonymous(handlerId) };
  }
  async step(step: Step, quiet: boolean): Promise<unknown> {
    if (step.do === 'fire') return this.fire(step, quiet);
    try {
      if (step.do === 'plan') return this.registry.plan(step.point, 'all').map((r: any) => [anonymous(r.id), r.entry]);
      if (step.do === 'verify') this.registry.verify();
      else this.act(step);
      return undefined;
    } catch (error) {
      return codeOf(error);
    }
  }
}

/** A fire's value in the words of the reference. */
function told(value: any, { discipline }: PointSpec): unknown {
  if (discipline !== 'guard') return value;
  const { decision, handled, reason, by, halt, asks, verdicts, ms, generation } = value;
  const last = verdicts.at(-1);
  assert.ok([value, asks, verdicts].every(Object.isFrozen));
  assert.deepEqual([handled, typeof ms, typeof generation], [decision !== 'clear', 'number', 'number']);
  if (decision === 'deny') assert.deepEqual([by, typeof reason], [last.by, 'string']);
  const ref = ({ by, ...rest }: any): object => ({ id: anonymous(by.id), ...rest });
  return {
    decision,
    ...(by && { by: anonymous(by.id) }),
    ...(last?.kind === 'policy' && decision === 'deny' && { reason }),
    ...(halt && { halt }),
    asks: asks.map(ref),
    verdicts: verdicts.map(ref),
  };
}

function sneak(payload: any, merged: any): void {
  const writes = [
    () => (payload.x = 'written'),
    () => payload.deep.y.push('written'),
    () => delete payload.deep,
    () => Object.assign(payload, { list: ['written'], a: 'written' }),
    () => Object.defineProperty(payload.deep, 'y', { value: 'written' }),
    () => (merged.s = 'written'),
    () => merged.list.push('written'),
  ];
  for (const write of writes) {
    try {
      write();
    } catch {
      // the TypeError of a frozen payload
    }
  }
}

export async function drive(s: Scenario): Promise<Driven[]> {
  const world = new World(s);
  const quiet = !JSON.stringify(s).includes('"do":"abort"');
  const entries: Driven[] = [];
  for (const step of s.steps) {
    Object.assign(world, { saw: [], refused: [], reports: [], told: [], fired: [], controller: new AbortController() });
    const result = await world.step(step, quiet);
    const { saw, refused, reports, told, fired, controller } = world;
    const { aborted } = controller.signal;
    if (step.do === 'fire' && step.watched && !aborted && saw.length > 0 && !Object.hasOwn(result ?? {}, 'error')) {
      assert.equal(fired.length, 1);
      assert.equal(fired[0].stages.length, saw.length);
    }
    entries.push({ result, saw, refused, reports, told, aborted });
  }
  return entries;
}
