/** The plugin `verify-finish`: a run is done only when its checks have passed. */
import type { Plugin } from '@treblehook/types';
import { verifyFinish } from './verify-finish.js';

export { verifyFinish } from './verify-finish.js';
export type { CallCheck, Check, CodeCheck, CommonCheck } from './checks.js';
export type { VerifyFinishConfig, VerifyFinishOptions } from './settings.js';

const plugin: Plugin = verifyFinish();
export default plugin;
