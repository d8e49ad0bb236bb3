/** A deliberately naive model of the kernel, written from its law alone: synchronous, one thing after another. */
import type { Act, Entry, FireSpec, HandlerSpec, PointSpec, Report, Scenario, Step } from './scenario.js';

type Live = { spec: HandlerSpec; id: string; seat: string; place: number };
type Bag = Record<string, any>;
const fault = (code: string): Error => Object.assign(new Error(code), { code });
const failures: Bag = { throw: 'TH_HANDLER_FAILED', mutate: 'TH_HANDLER_FAILED', nonsense: 'TH_RESULT_INVALID' };
const kinds: Bag = { TH_HANDLER_FAILED: 'error', TH_HANDLER_TIMEOUT: 'timeout', TH_RESULT_INVALID: 'invalid' };

const quiet = { saw: [], refused: [], reports: [], told: [] };
export function reference(s: Scenario): Entry[] {
  let live: Live[] = [];
  let seats = s.plugins;
  let verified = false;
  const labels = new Map<number, Live>();
  const point = (name: string): PointSpec => s.points.find((p) => p.name === name)!;
  const list = (p: PointSpec): readonly string[] => s.order[p.name] ?? p.order ?? ['*'];

  /** What throws has changed nothing. */
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
  function verify(): void {
    const faults: string[] = [];
    for (const p of s.points) {
      const names = live.filter((h) => h.spec.point === p.name).flatMap((h) => [h.id, h.spec.owner]);
      for (const e of list(p)) if (e !== '*' && !e.endsWith('?') && !names.includes(e)) faults.push('TH_ORDER_UNKNOWN');
      if (attempt(() => order(p)) === 'TH_ORDER_CYCLE') faults.push('TH_ORDER_CYCLE');
    }
    if (faults.length > 0) throw fault(faults.length > 1 ? 'TH_VERIFY_FAILED' : faults[0]!);
  }
  function register(spec: HandlerSpec, check: boolean): void {
    const id = spec.owner === 'host' ? (spec.id ?? 'host/~') : `${spec.owner}/${spec.id ?? '~'}`;
    if (spec.id && live.some((h) => h.id === id && h.spec.point === spec.point)) throw fault('TH_ID_TAKEN');
    const entries = list(point(spec.point)).map((e) => e.replace('?', ''));
    const seat = [id, spec.owner].find((e) => entries.includes(e)) ?? '*';
    live = [...live, { spec, id, seat, place: [...entries, '*'].indexOf(seat) }];
    if (spec.owner !== 'host' && !seats.includes(spec.owner)) seats = [...seats, spec.owner];
    if (check) order(point(spec.point));
    labels.set(spec.label, live.at(-1)!);
  }
  function replace(a: Act & { do: 'replace' }): void {
    live = live.filter((h) => h.spec.owner !== a.owner);
    for (const spec of a.handlers) register(spec, false);
    if (a.fails) throw fault('threw');
    verify();
  }
  function act(a: Act): void {
    if (a.do === 'register') register(a.handler, verified);
    if (a.do === 'unregister') live = live.filter((h) => h !== labels.get(a.label));
    if (a.do === 'unregisterPlugin') live = live.filter((h) => h.spec.owner !== a.owner);
    if (a.do === 'replace') replace(a);
  }

  function fire(f: FireSpec): Entry {
    const p = point(f.point);
    const [guard, silent] = [p.discipline === 'guard', p.discipline === 'observe'];
    const entry = { saw: [] as Bag[], refused: [] as string[], reports: [] as Report[] };
    const done = (result?: unknown, ...told: Bag[]): Entry => ({ ...entry, told, result }) as Entry;
    const allowed = ['host', ...(f.plugins ?? []), ...(guard ? f.guards : [])];
    const plan = order(p)
      .filter(({ spec }) => f.plugins === 'all' || allowed.includes(spec.owner))
      .filter(({ id }) => guard || !f.without.includes(id));
    if (f.aborted) return done(silent ? undefined : 'TH_ABORTED');
    if (plan.length > 0 && p.fields && typeof f.payload['x'] !== 'number') return done('TH_PAYLOAD_INVALID');
    const sum: Bag = {};
    const [asks, verdicts]: Bag[][] = [[], []];
    const locked = new Set<string>();
    let aborted = false;
    for (const [i, h] of plan.entries()) {
      const { acts, answer, mode, onError, owner, label, timeoutMs } = h.spec;
      const left = plan[i - 1]?.seat;
      if (left !== h.seat) for (const key of (s.locks[p.name] ?? p.locks)?.[left ?? ''] ?? []) locked.add(key);
      if (!guard && !live.includes(h)) continue;
      const gathered = p.collect.filter((k) => sum[k]).map((k) => [k, [...(f.payload[k] ?? []), ...sum[k]]]);
      const changed = p.discipline === 'pipeline' && { ...sum, ...Object.fromEntries(gathered) };
      const payload = { ...f.payload, ...changed };
      entry.saw.push(structuredClone({ label, payload, ...(p.discipline === 'merge' && { merged: sum }) }));
      for (const a of acts) {
        const refusal = attempt(() => act(a));
        if (refusal) entry.refused.push(refusal as string);
        aborted ||= a.do === 'abort';
      }
      if (aborted) return done(silent ? undefined : 'TH_ABORTED');

      const report = (code: string, more = {}): void => void entry.reports.push({ id: h.id, code, ...more });
      const budget = s.budgets[`${p.name}/${h.id}`] ?? s.budgets[p.name] ?? timeoutMs ?? p.budgetMs;
      const over = mode === 'hang' || (mode === 'slow' && (budget ?? (silent ? 5_000 : 10_000)) < 60);
      const throws = failures[answer.is] === 'TH_HANDLER_FAILED';
      if (over && mode === 'slow') report('TH_HANDLER_TIMEOUT', { late: throws ? 'error' : 'answer' });
      const code = over ? 'TH_HANDLER_TIMEOUT' : silent && !throws ? undefined : failures[answer.is];
      if (code) report(code);
      if (code && onError) return done({ error: code, by: h.id });
      const said: Bag = code || !('value' in answer) ? {} : (answer.value ?? {});
      if (guard) {
        const verdict = code ? 'deny' : answer.is === 'abstain' ? 'pass' : answer.is;
        verdicts!.push({ id: h.id, verdict, kind: code ? kinds[code] : 'policy' });
        if (verdict === 'ask') asks!.push({ id: h.id, ...said });
        if (verdict !== 'deny') continue;
        const told = { type: 'denied', id: h.id, kind: verdicts!.at(-1)!['kind'] };
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

  const step = (todo: Step): unknown => {
    if (todo.do === 'fire') return fire(todo);
    if (todo.do === 'plan') return order(point(todo.point)).map((h) => [h.id, h.seat]);
    if (todo.do !== 'verify') return act(todo);
    verify();
    verified = true;
  };
  return s.steps.map((todo) => {
    const result = attempt(() => step(todo));
    return result && Object.hasOwn(result, 'saw') ? (result as Entry) : { ...quiet, result };
  });
}
