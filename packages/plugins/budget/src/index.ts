/** The public names of `@treblehook/plugin-budget`; the plugin itself is the default export. */
import { budget } from './plugin.js';

export { budget } from './plugin.js';
export type { BudgetOptions } from './plugin.js';
export type { BudgetState, KeptAccount } from './accounts.js';
export type { BudgetStore } from './keeper.js';
export default budget();
