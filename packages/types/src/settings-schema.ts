/** A Standard Schema out of a reader of settings, for a plugin that brings no schema library. */
import { isHookError } from './errors.js';
import { givenInline, Setting, type SettingPath } from './setting.js';
import type { StandardSchema } from './standard-schema.js';

/**
 * What `read` makes of a `Setting` is the value; what it refuses (`refuse`, `lacks` and the readers of `Setting`) is the
 * issue, with its path. What `read` throws otherwise is thrown. `undefined` is read as `{}`, so that a plugin may be used
 * without settings.
 */
export function settingsSchema<T>(read: (settings: Setting) => T): StandardSchema<any, T> {
  const standard: StandardSchema<any, T>['~standard'] = Object.freeze({
    version: 1,
    vendor: 'treblehook',
    validate: (value: unknown) => {
      try {
        return { value: read(new Setting(value === undefined ? {} : value, givenInline('config'))) };
      } catch (error) {
        if (!isHookError(error) || error.code !== 'TH_CONFIG_INVALID') throw error;
        const { what, path } = error.details as { readonly what: string; readonly path?: SettingPath };
        return { issues: [{ message: what, ...(path && { path }) }] };
      }
    },
  });
  return Object.freeze({ '~standard': standard });
}
