/** A deliberately naive model of the kernel, written from its law alone: synchronous, one thing after another. */
import type { Act, Entry, FireSpec, HandlerSpec, PointSpec, Report, Scenario } from './scenario.js';

type Live = { spec: HandlerSpec; id: string; seat: string; place: number; off: boolean };
type Bag = Record<string, any>;
const fault = (code: string): Error => Object.assign(new Error(code), { code });
const failures: Bag = { throw: 'TH_HANDLER_FAILED', mutate: 'TH_HANDLER_FAILED', nonsense: 'TH_RESULT_INVALID' };

export function reference(s: Scenario): Entry[] {
  let live: Live[] = [];
  let seats = s.plugins;
  let verified = false;
  const ever: Live[] = [];
  const point = (name: string): PointSpec => s.points.find((p) => p.name === name)!;
  const list = (p: PointSpec): readonly string[] => s.order[p.name] ?? p.order ?? ['*'];

  function attempt(run: () => unknown): unknown {
    const old = [live, seats] as const;
    try {
      return run();
    } catch (error) {
      [live, seats] = old;
      return (error as Bag)['code'] ?? String(error);
    }
  }
  function order(p: PointSpec): Live[] {
    const rank = ({ spec }: Live): number => (spec.owner === 'host' ? -1 : seats.indexOf(spec.owner));
    const here = live.filter((h) => h.spec.point === p.name);
    const first = here.toSorted((a, b) => a.place - b.place || rank(a) - rank(b));
    const waits = (h: Live): Live[] => first.filter((o) => o.spec.before.includes(h.id) || h.spec.after.includes(o.id));
    const placed: Live[] = [];
    while (placed.length < first.length) {
      const rest = first.filter((h) => !placed.includes(h));
      const seat = rest.filter((h) => h.place === rest[0]!.place);
      const next = seat.find((h) => !waits(h).some((o) => seat.includes(o)));
      if (!next) throw fault('TH_ORDER_CYCLE');
      placed.push(next);
    }
    return placed;
  }
  function faults(): string[] {
    return s.points.flatMap((p) => {
      const names = new Set(['*', ...live.flatMap((h) => (h.spec.point === p.name ? [h.id, h.spec.owner] : []))]);
      const missing = list(p).filter((e) => !e.endsWith('?') && !names.has(e));
      const cycle = attempt(() => order(p)) === 'TH_ORDER_CYCLE' ? [`TH_ORDER_CYCLE ${p.name}`] : [];
      return [...missing.map((e) => `TH_ORDER_UNKNOWN ${p.name} ${e}`), ...cycle];
    });
  }
  function verify(known?: string[]): true {
    const found = faults().filter((f) => !known?.includes(f));
    if (found.length > 0) throw fault(found.length > 1 && !known ? 'TH_VERIFY_FAILED' : found[0]!.split(' ')[0]!);
    return true;
  }
  function register(spec: HandlerSpec, check: boolean): void {
    const id = spec.owner === 'host' ? (spec.id ?? 'host/~') : `${spec.owner}/${spec.id ?? '~'}`;
    if (spec.id && live.some((h) => h.id === id && h.spec.point === spec.point)) throw fault('TH_ID_TAKEN');
    const entries = list(point(spec.point)).map((e) => e.replace('?', ''));
    const seat = [id, spec.owner].find((e) => entries.includes(e)) ?? '*';
    live = [...live, { spec, id, seat, place: [...entries, '*'].indexOf(seat), off: false }];
    if (spec.owner !== 'host' && !seats.includes(spec.owner)) seats = [...seats, spec.owner];
    if (check) order(point(spec.point));
    ever.push(live.at(-1)!);
  }
  function drop(which: (h: Live) => boolean): void {
    for (const h of ever) h.off ||= which(h);
    live = live.filter((h) => !h.off);
  }
  function act(a: Act): void {
    if (a.do === 'register') register(a.handler, verified);
    if (a.do === 'unregister') drop((h) => h === ever.findLast((e) => e.spec.label === a.label) && live.includes(h));
    if (a.do === 'unregisterPlugin') drop((h) => h.spec.owner === a.owner);
    if (a.do !== 'replace' || faults().some((f) => f.includes('CYCLE'))) return;
    const known = faults();
    live = live.filter((h) => h.spec.owner !== a.owner);
    for (const spec of a.handlers) register(spec, false);
    if (a.fails) throw fault('threw');
    verify(known);
  }
  function fire(f: FireSpec): Entry {
    const p = point(f.point);
    const [guard, silent] = [p.discipline === 'guard', p.discipline === 'observe'];
    const entry = { saw: [] as Bag[], refused: [] as string[], reports: [] as Report[] };
    const done = (result?: unknown, ...told: Bag[]): any => ({ ...entry, told, result });
    if (f.aborted) return done(silent ? undefined : 'TH_ABORTED');
    const allowed = new Set(['host', ...(f.plugins === 'all' ? [] : (f.plugins ?? [])), ...(guard ? f.guards : [])]);
    const plan = order(p)
      .filter(({ spec }) => f.plugins === 'all' || allowed.has(spec.owner))
      .filter(({ id }) => guard || !f.without.includes(id));
    if (plan.length > 0 && p.fields && typeof f.payload['x'] !== 'number') return done('TH_PAYLOAD_INVALID');
    const sum: Bag = {};
    const [asks, verdicts]: Bag[][] = [[], []];
    const locked = new Set<string>();
    for (const [i, h] of plan.entries()) {
      const { acts, answer, mode, onError, owner, label, timeoutMs } = h.spec;
      const left = plan[i - 1]?.seat;
      if (left !== h.seat) for (const key of (s.locks[p.name] ?? p.locks)?.[left ?? ''] ?? []) locked.add(key);
      if (!guard && h.off) continue;
      const gathered = p.collect.filter((k) => sum[k]).map((k) => [k, [...(f.payload[k] ?? []), ...sum[k]]]);
      const payload = { ...f.payload, ...(p.discipline === 'pipeline' && { ...sum, ...Object.fromEntries(gathered) }) };
      entry.saw.push(structuredClone({ label, payload, ...(p.discipline === 'merge' && { merged: sum }) }));
      for (const a of acts) {
        const refusal = attempt(() => act(a));
        if (refusal) entry.refused.push(refusal as string);
      }
      if (acts.some((a) => a.do === 'abort')) return done(silent ? undefined : 'TH_ABORTED');
      const report = (code: string, more = {}): void => void entry.reports.push({ id: h.id, code, ...more });
      const budget = s.budgets[`${p.name}/${h.id}`] ?? s.budgets[p.name] ?? timeoutMs ?? p.budgetMs;
      const over = mode === 'hang' || (mode === 'slow' && (budget ?? (silent ? 5_000 : 10_000)) < 60);
      const throws = failures[answer.is] === 'TH_HANDLER_FAILED';
      if (over && mode === 'slow') report('TH_HANDLER_TIMEOUT', { late: throws ? 'error' : 'answer' });
      const code = over ? 'TH_HANDLER_TIMEOUT' : silent && !throws ? undefined : failures[answer.is];
      if (code && !(guard && answer.is === 'nonsense' && !over)) report(code);
      if (code && onError) return done({ error: code, by: h.id });
      const said: Bag = code || !('value' in answer) ? {} : (answer.value ?? {});
      if (guard) {
        const kind = !code ? 'policy' : over ? 'timeout' : throws ? 'error' : 'invalid';
        const verdict = code ? 'deny' : answer.is === 'abstain' ? 'pass' : answer.is;
        verdicts!.push({ id: h.id, verdict, kind });
        if (verdict === 'ask') asks!.push({ id: h.id, ...said });
        if (verdict !== 'deny') continue;
        const told = { type: 'denied', id: h.id, kind, ...(code && { code }) };
        return done({ decision: 'deny', by: h.id, reason: said['deny'], halt: said['halt'], asks, verdicts }, told);
      }
      if (said['handled']) return done(said, { type: 'claimed', id: h.id });
      for (const [key, value] of Object.entries(said)) {
        const collects = p.collect.includes(key);
        if (value === undefined || value === null || (collects && value.length === 0)) continue;
        if (p.hostKeys.includes(key) && owner !== 'host') report('TH_HOST_KEY', { key });
        else if (locked.has(key)) report('TH_KEY_LOCKED', { key });
        else if (p.discipline === 'merge' && !collects && key in sum) report('TH_KEY_TAKEN', { key });
        else sum[key] = collects ? [...(sum[key] ?? []), ...value] : value;
      }
      if (p.terminal.some((key) => key in sum)) break;
    }
    if (guard) return done({ decision: asks!.length > 0 ? 'ask' : 'clear', asks, verdicts });
    return done(p.discipline === 'route' ? { handled: false } : Object.keys(sum).length > 0 ? sum : undefined);
  }
  return s.steps.map((todo) => {
    const result = attempt(() => {
      if (todo.do === 'fire') return fire(todo);
      if (todo.do === 'plan') return order(point(todo.point)).map((h) => [h.id, h.seat]);
      if (todo.do === 'verify') verified = verify();
      else act(todo);
    });
    return Object.hasOwn(result ?? {}, 'saw')
      ? (result as Entry)
      : { saw: [], refused: [], reports: [], told: [], result };
  });
}
