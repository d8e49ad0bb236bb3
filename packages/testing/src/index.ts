/** The public names of `@treblehook/testing`. */
export { deferred, manualClock, scriptedModel } from '@treblehook/agent/testing';
export type {
  Deferred,
  ManualClock,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedUsage,
} from '@treblehook/agent/testing';
export type { KeptFault } from './faults.js';
export { testChannel } from './test-channel.js';
export type { TestChannel, TestChannelOptions } from './test-channel.js';
export { testHost } from './test-host.js';
export type { TestHost, TestHostOptions } from './test-host.js';
export { agentEntry, runtimeEntry } from './conformance/entry.js';
export type { AgentParts, Entry, Parts } from './conformance/entry.js';
export type { Fixture, FixtureCase } from './conformance/fixture.js';
export { runCase } from './conformance/run-case.js';
export type { CaseReport } from './conformance/run-case.js';
