/** `treblehook plugin check`: whether a package is a plugin that can be shipped. */
import type { Io } from '../io.js';
export async function checkPackage(_flags: { readonly path: string }, _io: Io): Promise<number> {
  throw new Error('todo');
}
