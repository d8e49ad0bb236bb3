/** The plugin: it decides before each model call, and counts behind it. */
import { definePlugin, type JsonObject, type Plugin } from '@treblehook/types';
import { Accounts } from './accounts.js';
import { configSchema } from './config.js';
import { Keeper, type BudgetStore } from './keeper.js';
import { Ledger } from './ledger.js';

export interface BudgetOptions {
  /** Where the accounts are kept. Default: in memory, and gone with the plugin. */
  readonly store?: BudgetStore;
  /** `date`: ms since the epoch, which say what day it is (UTC). Default: the system's. */
  readonly clock?: { readonly date: () => number };
}

export function budget({ store, clock = { date: Date.now } }: BudgetOptions = {}): Plugin {
  return definePlugin({
    id: 'budget',
    config: configSchema,
    setup({ hooks, log, onDispose, config }) {
      const accounts = new Accounts();
      const warn = (what: string, fields: JsonObject = {}): void => {
        try {
          log.warn(what, fields);
        } catch {
          // swallows that the plugin is gone, and its log with it: a call in hand goes on
        }
      };
      const ledger = new Ledger({ config, accounts, now: () => clock.date(), warn });
      const isOpen = config.onStoreFault === 'open';
      const onFault = (what: string): void =>
        warn(`${what}; ${isOpen ? 'calls go on' : 'no call is sent until it can be'}`);
      const keeper =
        store &&
        new Keeper({
          store,
          isOpen,
          onFault,
          state: () => accounts.state(),
          restore: (state) => accounts.restore(state),
        });
      hooks.registerModifying(
        'beforeLLM',
        keeper === undefined
          ? (request) => ledger.decide(request)
          : async (request) => {
              const fault = await keeper.faultNow();
              return fault === undefined
                ? ledger.decide(request)
                : { veto: `${fault}; no call is sent until it can be` };
            },
        { id: 'limits', onError: 'abort' }, // a budget that crashes lets nothing through
      );
      hooks.registerVoid(
        'afterLLM',
        (outcome) => {
          ledger.count(outcome);
          keeper?.changed();
        },
        { id: 'count' },
      );
      hooks.registerVoid('subagentSpawned', (told) => ledger.spawned(told), { id: 'children' });
      hooks.registerVoid(
        'agentDone',
        (told) => {
          if (ledger.done(told)) keeper?.changed();
        },
        { id: 'done' },
      );
      if (keeper !== undefined) onDispose(() => keeper.end());
    },
  });
}
