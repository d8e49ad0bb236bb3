// Owns docs/reference/hooks.md: every hook point of a catalogue, from nothing but the catalogue, the kernel and the contracts.
import { createHookRegistry } from '@treblehook/core';
import type { Catalogue, Discipline, HookPoint, PlanRow } from '@treblehook/types';
import type { Declarations } from './declarations.mjs';
import { code, codes, generated, page, source, table } from './markdown.mjs';
import { shapes } from './shapes-page.mjs';

const models = { void: 'Void', modifying: 'Modifying', claiming: 'Claiming' } as const;

/** What a fault of a handler does, in one sentence each. */
const faults: Readonly<Record<Discipline, string>> = {
  observe: 'A handler that fails is reported; the others finish, the caller sees nothing.',
  merge: "A handler that fails is skipped and reported; with `onError: 'abort'` the fire rejects.",
  pipeline: "A handler that fails is skipped and reported; with `onError: 'abort'` the fire rejects.",
  route: 'A handler that fails is skipped and reported; the next one gets its chance.',
  guard: 'A handler that throws, runs over its budget or answers nonsense is a denial.',
};

const noDeclarations: Declarations = { types: new Map(), points: new Map() };

/** Without `declarations` the page shows the kinds of fields and keys, and no types. */
export function hooksPage(catalogue: Catalogue, declarations: Declarations = noDeclarations): string {
  const names = Object.keys(catalogue);
  const typesOf = carried(declarations);
  return page([
    generated('the catalogues `agentHooks` and `channelHooks`'),
    '# Hook points',
    [
      'A kind with `?` may be missing. `any` is whatever the type says.',
      'What the models and disciplines mean: [three models](../explanation/three-models.md); order, seats and locks:',
      '[order](../explanation/order.md); when each point is fired: [lifecycle](../lifecycle.md).',
      'Below each point stand the types of what it carries, as they are written; what several of them share: [shapes](shapes.md).',
      'The points from `inboundClaim` on are `channelHooks`, a catalogue of its own: a runtime with channels needs both.',
      'An amendment may have any of the keys of its interface, and none.',
    ].join('\n'),
    table(
      ['point', 'model', 'discipline', 'when'],
      names.map((name) => {
        const { model, discipline, summary } = catalogue[name]!;
        return [`[${code(name)}](#${name.toLowerCase()})`, models[model], discipline, summary];
      }),
    ),
    ...names.flatMap((name) => [
      ...section(name, catalogue[name]!, defaultRow(catalogue, name)),
      ...typesOf(name),
      ...house(catalogue[name]!),
    ]),
  ]);
}

/** The types of one point after another: each declaration once on the page, shared shapes and earlier ones as links. */
function carried({ types, points }: Declarations): (point: string) => readonly string[] {
  const shownAt = new Map<string, string>();
  return (point) => {
    const own: string[] = [];
    const links = new Set<string>();
    const show = (name: string): void => {
      const declaration = types.get(name);
      if (declaration === undefined) return;
      const at = shownAt.get(name);
      if (at === point) return;
      if (shapes.has(name)) links.add(`[${code(name)}](shapes.md#${name.toLowerCase()})`);
      else if (at !== undefined) links.add(`${code(name)} at [${code(at)}](#${at.toLowerCase()})`);
      else {
        shownAt.set(name, point);
        own.push(source(declaration));
        declaration.names.forEach(show);
      }
    };
    (points.get(point) ?? []).forEach(show);
    return links.size === 0 ? own : [...own, `Named above: ${[...links].join(', ')}.`];
  };
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
  const { model, discipline, summary, fields = {}, firedBy, owner, check } = point;
  const facts = [
    `${models[model]}, ${code(discipline)}.`,
    `Default budget of one awaited handler: ${budgetMs?.toLocaleString('en')} ms.`,
    faults[discipline],
    firedBy === undefined ? undefined : `Fired by the host handler ${code(firedBy)} through ${code('ctx.fire')}.`,
    owner === undefined ? undefined : `Fired by the plugin ${code(owner)} through ${code('ctx.fire')}.`,
    check === undefined ? undefined : 'An amendment that its `check` finds at fault is refused whole.',
  ];
  return [
    `## ${name}`,
    summary,
    facts.filter((line) => line !== undefined).join(' '),
    table(
      ['payload', 'kind'],
      Object.entries(fields).map(([field, kind]) => [code(field), code(kind)]),
    ),
    answers(point),
  ];
}

/** What the house says about a point, and what others call it. */
function house({ order, locks = {}, aka }: HookPoint): readonly string[] {
  const lines = [
    order === undefined ? undefined : `House order: ${codes(order)}.`,
    ...Object.entries(locks).map(([entry, keys]) => `Behind ${code(entry)} is final: ${codes(keys)}.`),
    aka.length === 0 ? undefined : `Elsewhere called: ${codes(aka)}.`,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? [] : [lines.join('  \n')];
}

/** What a handler may return. */
function answers({ discipline, keys, collect, replaces, terminal, hostKeys }: HookPoint): string | undefined {
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
            Object.hasOwn(replaces, key) ? `in place of all of ${code(replaces[key]!)} up to there` : undefined,
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
