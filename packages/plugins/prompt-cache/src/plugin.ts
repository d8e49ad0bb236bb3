/** The plugin: marks what a request has in common with the next one, and counts what the cache gave. */
import { definePlugin, matchName, ownFields, settingsSchema, type Plugin } from '@treblehook/types';
import { marksOf } from './marks.js';
import { Stats, type PromptCacheStats } from './stats.js';

export interface PromptCacheOptions {
  /** Told what the cache gave in a session, when that is closed or the plugin goes. What it throws is a fault of the plugin. */
  readonly onStats?: (stats: PromptCacheStats) => void;
}

interface Config {
  readonly history: boolean;
  readonly models: readonly string[];
}

const config = settingsSchema((settings): Config => {
  const { history, models } = settings.fields(['history', 'models']);
  if (history !== undefined && typeof history.value !== 'boolean') history.refuse("'history' is true or false");
  return {
    history: history === undefined ? true : (history.value as boolean),
    models: models === undefined ? ['*'] : models.texts().map((one) => one.text()),
  };
});

/** A plugin for the seat `prompt-cache`: give it to a host as `{ plugin, seat: true }`. */
export function promptCache({ onStats }: PromptCacheOptions = {}): Plugin {
  return definePlugin({
    id: 'prompt-cache',
    config,
    setup({ hooks, log, onDispose, config: { history, models } }) {
      const stats = new Stats();
      hooks.registerModifying(
        'beforeLLM',
        ({ messages, inject, model, settings, purpose }) => {
          // what a handler asks is asked once: to write it into the cache costs more than it gives
          if (purpose !== undefined || ownFields(settings).cacheAfter != null) return undefined;
          if (!models.some((glob) => matchName(glob, model))) return undefined;
          const cacheAfter = marksOf(messages, inject, history);
          return cacheAfter.length === 0 ? undefined : { settings: { ...settings, cacheAfter } };
        },
        { id: 'marks' },
      );
      hooks.registerVoid('afterLLM', ({ origin, usage }) => stats.count(origin.sessionId, usage), { id: 'count' });
      hooks.registerVoid(
        'sessionEnd',
        ({ origin }) => {
          const told = stats.take(origin.sessionId);
          if (told === undefined) return;
          const { hitRate, ...counts } = told;
          const rate = hitRate === undefined ? 'unknown' : `${Math.round(hitRate * 100)} %`;
          log.info(`prompt cache of the session '${told.sessionId}': hit rate ${rate}`, {
            ...counts,
            ...(hitRate === undefined ? {} : { hitRate }),
          });
          onStats?.(told);
        },
        { id: 'tell' },
      );
      onDispose(() => {
        for (const told of stats.takeAll()) onStats?.(told);
      });
    },
  });
}
