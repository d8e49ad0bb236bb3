/** Wire servers for tests: real HTTP and SSE on loopback, in both dialects, by one script. */
export { anthropicWire } from './anthropic-wire.js';
export { openaiWire } from './openai-wire.js';
export type { Script } from './script.js';
export type { Wire, WireOptions } from './server.js';
