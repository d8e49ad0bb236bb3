/** Reading what came as JSON: its own fields, whatever hangs on `Object.prototype`. */
import { ownFields } from '@treblehook/types';

export type Fields = { readonly [key: string]: unknown };

/** `undefined` of what is no object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? ownFields(value as Fields) : undefined;
