/** The public names of `@treblehook/testing`. */
export { deferred, manualClock, scriptedModel, storeLaws } from '@treblehook/agent/testing';
export type {
  Deferred,
  Law,
  ManualClock,
  OpenStore,
  ReopenStore,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedUsage,
  StoreLawOptions,
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
export { expectAnswer } from './answers.js';
export type { AnswerAt, PayloadAt } from './answers.js';
export { recordTranscript, replayModel } from './model-transcript/transcript.js';
export type {
  ModelTranscript,
  RecordedModel,
  ReplayModel,
  ReplayOptions,
  TranscribedCall,
} from './model-transcript/transcript.js';
export { checkPlugin, pluginLaws } from './plugin-laws/plugin-laws.js';
export type { PluginCheck, PluginLawCase, PluginLawOptions, PluginReport } from './plugin-laws/plugin-laws.js';
export type { PluginLawId } from './plugin-laws/laws.js';
