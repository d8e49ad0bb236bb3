/** The public names of `@treblehook/mcp`. */
export { checkMcpServers, connectMcp } from './connect.js';
export type {
  McpHttpServer,
  McpNotice,
  McpNoticeKind,
  McpOptions,
  McpServerDescription,
  McpServers,
  McpServerSettings,
  McpStdioServer,
} from './contract.js';
