/** Notices: told to the host, or made a process warning when nobody listens. */
import { HookError, textOf } from '@treblehook/types';
import type { McpNotice, McpNoticeKind, McpOptions } from './contract.js';

const seenTo: ReadonlySet<McpNoticeKind> = new Set(['tool-refused', 'tools-cut', 'server-failed', 'tools-changed']);

export type Tell = (notice: McpNotice) => void;

export function teller(onNotice: McpOptions['onNotice']): Tell {
  if (onNotice === undefined) {
    return ({ kind, server, tool, text }) => {
      if (seenTo.has(kind)) warn(`the MCP server '${server}'${tool === undefined ? '' : `, tool '${tool}'`}: ${text}`);
    };
  }
  return (notice) => {
    try {
      const given: unknown = onNotice(Object.freeze(notice));
      if (given instanceof Promise) given.catch((error: unknown) => warn(`onNotice failed: ${textOf(error)}`));
    } catch (error) {
      warn(`onNotice failed: ${textOf(error)}`);
    }
  };
}

const warn = (what: string): void => process.emitWarning(what, { type: 'TreblehookWarning', code: 'TH_MCP_NOTICE' });

export const failure = (server: string, what: string, cause: unknown, stderr: string): HookError =>
  new HookError('TH_MCP_FAILED', { server, what, cause, stderr });
