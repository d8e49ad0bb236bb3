/** Random scenarios: catalogues, orders, locks, handlers and what happens to them. */
import fc from 'fast-check';
import {
  nonsense,
  type Act,
  type Answer,
  type HandlerSpec,
  type PointSpec,
  type Scenario,
  type Step,
} from './scenario.js';

const plugins = ['p1', 'p2', 'p3'];
const ids = ['h1', 'h2', 'h3', 'p1/x', 'p1/y', 'p2/x', 'p2/y', 'p3/x'];
const keys = { a: 'any', s: 'string', n: 'number', list: 'array', more: 'array', end: 'string', c: 'string' } as const;
const often = <T>(value: T, other: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
const some = <T>(items: readonly T[], maxLength = 2): fc.Arbitrary<T[]> => fc.subarray([...items], { maxLength });

const list = fc
  .tuple(fc.shuffledSubarray([...ids, ...plugins, '*'], { maxLength: 5 }), often('?', fc.constant(''), 9))
  .map(([entries, mark]) => entries.map((e) => (e === '*' ? e : e + mark)));
const locksOf = (order: readonly string[] | undefined, host: boolean) =>
  fc
    .subarray((order ?? ['*']).map((e) => e.replace('?', '')).filter((e) => host || e.startsWith('h')))
    .chain((entries) =>
      fc.tuple(
        ...entries.map((e) => fc.tuple(fc.constant(e), fc.subarray(['a', 'n', 'list', 'more'], { minLength: 1 }))),
      ),
    )
    .map((rows) => Object.fromEntries(rows));

const point = (name: string): fc.Arbitrary<PointSpec> =>
  fc
    .record({
      discipline: fc.constantFrom('observe', 'merge', 'pipeline', 'route', 'guard'),
      collect: some(['list', 'more']),
      terminal: some(['end', 'n']),
      hostKeys: some(['s', 'end']),
      order: often(undefined, list, 1),
      fields: fc.boolean(),
      budgetMs: often(undefined, fc.constantFrom(30, 400)),
    })
    .chain((p) =>
      locksOf(p.order, false).map((locks): PointSpec => {
        const [pipeline, modifying] = [
          p.discipline === 'pipeline',
          p.discipline === 'pipeline' || p.discipline === 'merge',
        ];
        return {
          ...p,
          name,
          keys: p.discipline === 'observe' ? {} : keys,
          collect: modifying ? p.collect : [],
          terminal: pipeline ? p.terminal : [],
          hostKeys: modifying ? p.hostKeys : [],
          locks: pipeline ? withoutTerminal(locks, p.terminal) : undefined,
        };
      }),
    );
type Locks = Record<string, string[]>;
const withoutTerminal = (locks: Locks, terminal: readonly string[]): Locks =>
  Object.fromEntries(Object.entries(locks).map(([e, held]) => [e, held.filter((k) => !terminal.includes(k))]));

const amendment = fc.record(
  {
    a: fc.constantFrom<unknown>(0, false, 'v', { z: [1] }, [2], null),
    s: fc.constantFrom('', 'v', 'w', null, undefined),
    n: fc.constantFrom(0, 1, 2, null),
    list: fc.constantFrom<unknown>([], ['q'], [1, { z: 2 }], null),
    more: fc.constantFrom<unknown>([], ['m']),
    end: fc.constantFrom('', 'stop', undefined),
  },
  { requiredKeys: [] },
);
const detail = fc.record({ a: fc.constantFrom(0, { z: [1] }), s: fc.constantFrom('', 'v') }, { requiredKeys: [] });
const answer = ({ discipline }: PointSpec): fc.Arbitrary<Answer> => {
  const claiming = discipline === 'route' || discipline === 'guard';
  const nothing: unknown[] = [undefined, null, ...(discipline === 'observe' ? [] : [{}])];
  const abstain = fc
    .constantFrom(...nothing, ...(claiming ? [{ handled: false }] : []))
    .map((value): Answer => ({ is: 'abstain', value }));
  const bad: fc.Arbitrary<Answer> = fc.oneof(
    fc.constant<Answer>({ is: 'throw' }),
    fc.constant<Answer>({ is: 'mutate' }),
    fc.constantFrom(...nonsense).map((what): Answer => ({ is: 'nonsense', what })),
  );
  const good: fc.Arbitrary<Answer> = {
    observe: abstain,
    merge: amendment.map((value): Answer => ({ is: 'set', value })),
    pipeline: amendment.map((value): Answer => ({ is: 'set', value })),
    route: detail.map((more): Answer => ({ is: 'claim', value: { handled: true, ...more } })),
    guard: fc.oneof(
      fc
        .record({ ask: fc.constantFrom('', 'sure?'), d: detail })
        .map(({ ask, d }): Answer => ({ is: 'ask', value: { ask, ...d } })),
      fc
        .constantFrom({ deny: '' }, { deny: 'no' }, { deny: 'no', halt: true }, { deny: 'no', ask: 'sure?' })
        .map((value): Answer => ({ is: 'deny', value })),
    ),
  }[discipline];
  const weight = { observe: 1, merge: 5, pipeline: 5, route: 1, guard: 3 }[discipline];
  return fc.oneof({ weight: 4, arbitrary: abstain }, { weight, arbitrary: good }, { weight: 1, arbitrary: bad });
};

const handler = (points: readonly PointSpec[], depth: number): fc.Arbitrary<HandlerSpec> =>
  fc.constantFrom(...points).chain((p) =>
    fc
      .record({
        owner: fc.constantFrom('host', ...plugins),
        name: often('', fc.constant(undefined)),
        pick: fc.nat(2),
        before: often([] as string[], some([...ids, 'ghost', 'p1'], 4), 2),
        after: often([] as string[], some([...ids, 'ghost'], 3), 2),
        timeoutMs: often(undefined, fc.constantFrom(30, 400)),
        abort: fc.nat(5),
        acts:
          depth === 0 ? fc.constant<Act[]>([]) : often([] as Act[], fc.array(act(points, depth), { maxLength: 2 }), 3),
        sneaks: often(false, fc.constant(true)),
        mode: fc.oneof(
          { weight: 10, arbitrary: fc.constant('sync' as const) },
          { weight: 5, arbitrary: fc.constant('async' as const) },
          { weight: 2, arbitrary: fc.constantFrom('thenable' as const, 'slow' as const) },
          { weight: 1, arbitrary: fc.constant('hang' as const) },
        ),
        answer: answer(p),
      })
      .map(({ name, pick, abort, ...h }): HandlerSpec => {
        const id = name === undefined ? undefined : h.owner === 'host' ? `h${pick + 1}` : ['x', 'y', 'z'][pick];
        const full = h.owner === 'host' ? id : `${h.owner}/${id}`;
        const stops = h.acts.some((a) => a.do === 'abort');
        return {
          ...h,
          id,
          label: 0,
          point: p.name,
          before: h.before.filter((e) => e !== full),
          after: h.after.filter((e) => e !== full),
          onError: abort === 0 && (p.discipline === 'merge' || p.discipline === 'pipeline') ? 'abort' : undefined,
          answer: stops ? { is: 'abstain', value: undefined } : h.answer,
        };
      }),
  );
const act = (points: readonly PointSpec[], depth: number): fc.Arbitrary<Act> =>
  fc.oneof(
    { weight: 3, arbitrary: handler(points, depth - 1).map((h): Act => ({ do: 'register', handler: h })) },
    { weight: 3, arbitrary: fc.nat(20).map((label): Act => ({ do: 'unregister', label })) },
    { weight: 1, arbitrary: fc.constantFrom(...plugins).map((owner): Act => ({ do: 'unregisterPlugin', owner })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...plugins), fc.array(handler(points, 0), { maxLength: 3 }), fc.nat(4))
        .map(([owner, handlers, fails]): Act => {
          return { do: 'replace', owner, handlers: handlers.map((h) => owned(h, owner)), fails: fails === 0 };
        }),
    },
    { weight: 1, arbitrary: fc.constant<Act>({ do: 'abort' }) },
  );
const owned = (h: HandlerSpec, owner: string): HandlerSpec => ({
  ...h,
  owner,
  id: h.owner === 'host' && h.id ? 'z' : h.id,
  before: h.before.filter((e) => !e.startsWith(owner)),
  after: h.after.filter((e) => !e.startsWith(owner)),
});

const payload = fc.record(
  { x: fc.constant(1), deep: fc.constant({ y: [1, { z: 2 }] }), a: fc.constant('p'), list: fc.constant(['p']) },
  { requiredKeys: ['deep'] },
);
const allowed = fc.oneof(
  { weight: 5, arbitrary: fc.constant('all' as const) },
  { weight: 2, arbitrary: fc.subarray(plugins) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const fire = (points: readonly PointSpec[]): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant('fire' as const),
    point: fc.constantFrom(...points.map((p) => p.name)),
    payload: fc.oneof(
      { weight: 4, arbitrary: payload.map((p) => ({ ...p, x: 1 })) },
      { weight: 1, arbitrary: payload },
    ),
    plugins: allowed,
    guards: often([] as string[], fc.subarray(plugins)),
    without: often([] as string[], some(ids)),
    aborted: often(false, fc.constant(true), 25),
    watched: fc.boolean(),
  });
const step = (points: readonly PointSpec[]): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 6, arbitrary: fire(points) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'verify' }) },
    { weight: 1, arbitrary: fc.constantFrom(...points).map((p): Step => ({ do: 'plan', point: p.name })) },
    { weight: 2, arbitrary: act(points, 1).filter((a) => a.do !== 'abort') },
  );

/** Every specification gets a label of its own; acts name labels that exist. */
function labelled(s: Scenario): Scenario {
  let labels = 0;
  const copy = structuredClone(s) as any;
  const visit = (node: any, found: (node: any) => void): void => {
    if (typeof node !== 'object' || node === null) return;
    found(node);
    for (const key of Object.keys(node)) visit(node[key], found);
  };
  visit(copy, (node) => 'label' in node && 'mode' in node && (node.label = labels++));
  visit(copy, (node) => node.do === 'unregister' && (node.label %= Math.max(labels, 1)));
  return copy;
}

export const scenario: fc.Arbitrary<Scenario> = fc
  .oneof(
    { weight: 3, arbitrary: fc.tuple(point('one')) },
    { weight: 1, arbitrary: fc.tuple(point('one'), point('two')) },
  )
  .chain((points: PointSpec[]) => {
    const one = points[0]!;
    return often<readonly string[] | undefined>(undefined, list, 2).chain((order) =>
      fc.record({
        points: fc.constant(points),
        order: fc.constant(order ? { one: order } : {}),
        // The house locks stand under the house list; the host's list might lack what they name.
        locks:
          one.discipline === 'pipeline'
            ? fc.oneof(
                locksOf(order ?? one.order, true).map((l) => ({ one: withoutTerminal(l, one.terminal) })),
                ...(order ? [] : [fc.constant({})]),
              )
            : fc.constant({}),
        budgets: often<Record<string, number>>(
          {},
          fc.constantFrom<Record<string, number>>({ one: 30 }, { 'one/h1': 400, one: 30 }, { 'one/p1/x': 30 }),
        ),
        plugins: often([] as string[], fc.shuffledSubarray(plugins), 1),
        first: fc.array(handler(points, 1), { minLength: 1, maxLength: 7, size: 'max' }),
        next: fc.array(step(points), { minLength: 1, maxLength: 5, size: 'max' }),
      }),
    );
  })
  .map(({ first, next, ...s }) =>
    labelled({ ...s, steps: [...first.map((h): Step => ({ do: 'register', handler: h })), ...next] }),
  );
