// A second process on one file of sessions: it does what it is told and says what came of it.
import { isHeld } from '@treblehook/types';
import { sqliteStore } from '@treblehook/agent/sqlite';

const [path = '', task = '', name = '', count = ''] = process.argv.slice(2);

/** @param {unknown} value */
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/**
 * @param {string} runId
 * @returns {import('@treblehook/types').SessionRecord}
 */
const run = (runId, input = 'go') => ({ type: 'run', runId, input, personality: 'default' });

/**
 * Waits for its turn.
 * @param {import('@treblehook/types').SessionStore} store
 */
async function turn(store) {
  for (;;) {
    const lease = await store.acquire('s', name, 3_600_000);
    if (!isHeld(lease)) return lease;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

try {
  const store = sqliteStore({ path });
  if (task === 'hold') {
    const lease = await turn(store);
    await store.append(lease, [run('of the child')]);
    say(lease);
    setInterval(() => {}, 1_000); // until it is killed
  } else if (task === 'add') {
    for (let at = 0; at < Number(count); at++) {
      const lease = await turn(store);
      await store.append(lease, [run(`${name}-${at}`), run(`${name}-${at}`)]);
      await store.release(lease);
    }
    say('added');
  } else if (task === 'fill') {
    const lease = await turn(store);
    for (let at = 0; ; at++) {
      say(await store.append(lease, [run(`r${at}`, 'x'.repeat(8_000))]));
    }
  } else if (task === 'settle') {
    say(await store.settle('s', { id: name, ok: count === 'yes' }));
  }
} catch (error) {
  const { code, message } = /** @type {import('@treblehook/types').HookError} */ (error);
  say({ code, message });
}
