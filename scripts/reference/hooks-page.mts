// Owns docs/reference/hooks.md: every hook point of a catalogue, from nothing but the catalogue and the kernel.
import { createHookRegistry } from '@treblehook/core';
import type { Catalogue, Discipline, HookPoint, PlanRow } from '@treblehook/types';
import { code, codes, generated, page, table } from './markdown.mjs';

const models = { void: 'Void', modifying: 'Modifying', claiming: 'Claiming' } as const;

/** What a fault of a handler does, in one sentence each. */
const faults: Readonly<Record<Discipline, string>> = {
  observe: 'A handler that fails is reported; the others finish, the caller sees nothing.',
  merge: "A handler that fails is skipped and reported; with `onError: 'abort'` the fire rejects.",
  pipeline: "A handler that fails is skipped and reported; with `onError: 'abort'` the fire rejects.",
  route: 'A handler that fails is skipped and reported; the next one gets its chance.',
  guard: 'A handler that throws, runs over its budget or answers nonsense is a denial.',
};

export function hooksPage(catalogue: Catalogue): string {
  const names = Object.keys(catalogue);
  return page([
    generated('the catalogue `agentHooks`'),
    '# Hook points',
    [
      'A kind with `?` may be missing. `any` is whatever the type says.',
      'What the models and disciplines mean: [three models](../explanation/three-models.md); order, seats and locks:',
      '[order](../explanation/order.md); when each point is fired: [lifecycle](../lifecycle.md).',
    ].join('\n'),
    table(
      ['point', 'model', 'discipline', 'when'],
      names.map((name) => {
        const { model, discipline, summary } = catalogue[name]!;
        return [`[${code(name)}](#${name.toLowerCase()})`, models[model], discipline, summary];
      }),
    ),
    ...names.flatMap((name) => section(name, catalogue[name]!, defaultRow(catalogue, name))),
  ]);
}

/** The plan row of a handler without options: what the kernel itself gives it. */
function defaultRow(catalogue: Catalogue, name: string): PlanRow {
  const registry = createHookRegistry(catalogue);
  const register = {
    void: registry.registerVoid,
    modifying: registry.registerModifying,
    claiming: registry.registerClaiming,
  };
  (register[catalogue[name]!.model] as (name: string, handler: () => undefined) => void)(name, () => undefined);
  return registry.plan(name)[0]!;
}

function section(name: string, point: HookPoint, { budgetMs }: PlanRow): (string | undefined)[] {
  const { model, discipline, summary, fields = {}, order, locks = {}, firedBy, owner, aka, check } = point;
  const facts = [
    `${models[model]}, ${code(discipline)}.`,
    `Default budget of one awaited handler: ${budgetMs?.toLocaleString('en')} ms.`,
    faults[discipline],
    firedBy === undefined ? undefined : `Fired by the host handler ${code(firedBy)} through ${code('ctx.fire')}.`,
    owner === undefined ? undefined : `Fired by the plugin ${code(owner)} through ${code('ctx.fire')}.`,
    check === undefined ? undefined : 'An amendment that its `check` finds at fault is refused whole.',
  ];
  const house = [
    order === undefined ? undefined : `House order: ${codes(order)}.`,
    ...Object.entries(locks).map(([entry, keys]) => `Behind ${code(entry)} is final: ${codes(keys)}.`),
    aka.length === 0 ? undefined : `Elsewhere called: ${codes(aka)}.`,
  ].filter((line) => line !== undefined);
  return [
    `## ${name}`,
    summary,
    facts.filter((line) => line !== undefined).join(' '),
    table(
      ['payload', 'kind'],
      Object.entries(fields).map(([field, kind]) => [code(field), code(kind)]),
    ),
    answers(point),
    house.length === 0 ? undefined : house.join('  \n'),
  ];
}

/** What a handler may return. */
function answers({ discipline, keys, collect, terminal, hostKeys }: HookPoint): string | undefined {
  const own = Object.entries(keys);
  switch (discipline) {
    case 'observe':
      return undefined;
    case 'guard':
      return table(
        ['answer', 'kind', ''],
        [
          [code('deny'), code('string'), 'the reason of a denial; beats `ask`'],
          [code('halt'), '`true`', 'with `deny`: the run ends behind this call'],
          [code('ask'), code('string'), 'a question'],
          [code('rule'), code('string?'), 'the name of the rule that denies or asks'],
          ...own.map(([key, kind]) => [code(key), code(`${kind}?`), 'with `ask`: shown beside the question']),
        ],
      );
    case 'route':
      return table(
        ['claim', 'kind', ''],
        [
          [code('handled'), '`true`', 'the claim; the chain ends'],
          ...own.map(([key, kind]) => [code(key), code(kind), '']),
        ],
      );
    case 'merge':
    case 'pipeline':
      return table(
        ['amendment', 'kind', ''],
        own.map(([key, kind]) => {
          const is = [
            collect.includes(key) ? 'collects: concatenated in plan order' : undefined,
            terminal.includes(key) ? 'terminal: ends the chain' : undefined,
            hostKeys.includes(key) ? 'host key: only a host handler may set it' : undefined,
          ].filter((one) => one !== undefined);
          const plain = discipline === 'merge' ? 'the first value wins' : 'the last value feeds forward';
          const isPlain = !collect.includes(key) && !terminal.includes(key);
          return [code(key), code(kind), [...(isPlain ? [plain] : []), ...is].join('; ')];
        }),
      );
  }
}
