// Owns the table of the kernel's benches: what is asked, against what, and what is to be reached.

import { more, ratio, roomy, value, type Comparison, type Question, type Room } from '../measuring/questions.js';

/** Where all that is made stays alive, the collector's helpers wait for each other, and processor time counts that. */
const alone = ['--single-threaded-gc'];

const questions: readonly Question[] = [
  {
    name: 'empty-internal',
    asks: 'a fire with nobody to call, inside the kernel',
    file: 'empty',
    unit: 'ns',
    compares: [value(10)],
  },
  {
    name: 'empty-internal-bytes',
    asks: 'the bytes that it allocates',
    file: 'empty',
    unit: 'B',
    flags: roomy,
    compares: [value(0)],
  },
  {
    name: 'empty-facade',
    asks: 'the same through the promise facade, not awaited',
    file: 'empty',
    unit: 'ns',
    compares: [value(60), ratio('tapable')],
  },
  {
    name: 'empty-facade-bytes',
    asks: 'the bytes that it allocates',
    file: 'empty',
    unit: 'B',
    flags: roomy,
    compares: [value(249)],
  },
  {
    name: 'empty-awaited',
    asks: 'the same, awaited',
    file: 'empty',
    unit: 'ns',
    compares: [ratio('tapable'), ratio('emittery'), ratio('hookable')],
  },
  ...observe(10, 'async', [ratio('allSettled', 0.25), ratio('tapable', 1)]),
  ...observe(200, 'async', [ratio('allSettled', 0.25), ratio('tapable', 1)]),
  ...observe(10, 'sync', [ratio('allSettled', 0.1), ratio('tapable'), ratio('mitt'), ratio('eventemitter3')]),
  ...pipeline(10, 'sync', 0, 0.25, [ratio('koa-compose'), ratio('tapable'), ratio('hookable')]),
  ...pipeline(10, 'sync', 2, 0.7),
  ...pipeline(10, 'sync', 10, 2.2),
  ...pipeline(10, 'async', 0, 1, [
    ratio('koa-compose'),
    ratio('tapable'),
    ratio('hookable'),
    ratio('a timer per handler'),
  ]),
  ...pipeline(10, 'async', 2, 1.5),
  ...pipeline(10, 'async', 10, 3.2),
  ...pipeline(200, 'async', 0, 1.25),
  {
    name: 'merge-10-async',
    asks: '10 async handlers fill one key each',
    file: 'merge',
    unit: 'ns',
    compares: [ratio('for await + spread', 1.1), ratio('tapable + spread')],
  },
  {
    name: 'route-never-sync',
    asks: '10 sync handlers, none claims',
    file: 'claims',
    unit: 'ns',
    compares: [ratio('for await', 0.25), ratio('tapable')],
  },
  {
    name: 'route-never-async',
    asks: '10 async handlers, none claims',
    file: 'claims',
    unit: 'ns',
    compares: [ratio('for await', 1.1), ratio('tapable')],
  },
  {
    name: 'route-first-of-200',
    asks: 'the first of 200 async handlers claims',
    file: 'claims',
    unit: 'ns',
    compares: [ratio('one handler', 1.2)],
  },
  {
    name: 'guard-10-sync',
    asks: '10 sync guards pass, each recorded',
    file: 'claims',
    unit: 'ns',
    compares: [ratio('for await', 0.4)],
  },
  {
    name: 'guard-10-async',
    asks: '10 async guards pass, each recorded',
    file: 'claims',
    unit: 'ns',
    compares: [ratio('for await', 1.2)],
  },
  {
    name: 'list-reused',
    asks: '10 sync observers of 5 plugins under an allowlist',
    file: 'lists',
    unit: 'ns',
    compares: [more("'all'", 10)],
  },
  {
    name: 'list-silences-1000',
    asks: 'a point with 1,000 handlers that the allowlist silences',
    file: 'empty',
    unit: 'ns',
    compares: [more('an empty point', 10)],
  },
  {
    name: 'list-per-fire',
    asks: 'an embedder hands its allowlist in with each fire',
    file: 'lists',
    unit: 'ns',
    compares: [more("'all'")],
  },
  {
    name: 'observe-1-of-10-throws',
    asks: '1 of 10 async observers throws, nobody listens',
    file: 'observe',
    unit: 'ns',
    compares: [ratio('allSettled', 1.2)],
  },
  {
    name: 'observe-1-of-10-throws-heard',
    asks: '1 of 10 async observers throws, a listener is told',
    file: 'observe',
    unit: 'ns',
    compares: [ratio('allSettled')],
  },
  {
    name: 'register-10k',
    asks: '10,000 handlers come and go, worst of three orders',
    file: 'registering',
    unit: 'ms',
    flags: alone,
    compares: [value(10), ratio('eventemitter3')],
  },
  {
    name: 'register-20k',
    asks: '20,000 handlers come and go',
    file: 'registering',
    unit: 'ms',
    flags: alone,
    compares: [ratio('10,000', 2.7)],
  },
  {
    name: 'door-plain',
    asks: 'the payload comes plain: it is copied and frozen',
    file: 'pipeline',
    unit: 'ns',
    compares: [more('a marked payload'), ratio('a marked payload')],
  },
  {
    name: 'door-50-messages',
    asks: 'a request of 50 messages comes plain',
    file: 'pipeline',
    unit: 'ns',
    compares: [more('an adopted history'), ratio('an adopted history')],
  },
  {
    name: 'import',
    asks: 'importing the package in a fresh process',
    file: 'weight',
    unit: 'ms',
    compares: [value(5), ratio('tapable'), ratio('hookable'), ratio('emittery')],
  },
  {
    name: 'installed',
    asks: 'the package on disk with all it depends on',
    file: 'weight',
    unit: 'MB',
    constant: true,
    compares: [value(0.3), ratio('tapable')],
  },
];

export const kernel: Room = { name: 'kernel', questions };

function observe(count: number, kind: 'sync' | 'async', judged: readonly Comparison[]): readonly Question[] {
  return [
    {
      name: `observe-${count}-${kind}`,
      asks: `${count} ${kind} observers`,
      file: 'observe',
      unit: 'ns',
      compares: [...judged, ratio('hookable'), ratio('emittery')],
    },
  ];
}

function pipeline(
  count: number,
  kind: 'sync' | 'async',
  amending: number,
  reach: number,
  peers: readonly Comparison[] = amending === 0 ? [] : [ratio('for await + spread')],
): readonly Question[] {
  return [
    {
      name: `pipeline-${count}-${kind}-${amending}`,
      asks: `${count} ${kind} stages, ${amending === 0 ? 'none amends' : `${amending} amend`}`,
      file: 'pipeline',
      unit: 'ns',
      compares: [ratio('for await', reach), ...peers],
    },
  ];
}
