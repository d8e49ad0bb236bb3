/** What a run and a resumption are given, read and checked. */
import { ownFields, type JsonObject } from '@treblehook/types';
import type { ResumeOptions, RunOptions } from '../contract.js';
import { NotJson, plainJson } from '../door/plain-json.js';
import { assertKnown, invalid } from '../read-option.js';

const runOptionNames: Readonly<Record<keyof RunOptions, true>> = { signal: true, job: true, note: true };
const resumeOptionNames: Readonly<Record<keyof ResumeOptions, true>> = { signal: true };

/** Throws `TH_OPTION_INVALID`. */
export function readRun(input: unknown, options: RunOptions): RunOptions {
  if (typeof input !== 'string' || input === '') throw invalid('the input of a run must be a text that is not empty');
  assertKnown(options, runOptionNames, 'option of a run');
  const { job, note } = ownFields(options);
  if (job !== undefined && (typeof job !== 'object' || job === null || typeof ownFields(job).class !== 'string')) {
    throw invalid('job needs a class: { class, justification? }');
  }
  if (job?.justification !== undefined && typeof job.justification !== 'string') {
    throw invalid("the 'justification' of a job must be a text");
  }
  return ownFields({
    ...readSignal(options),
    ...(job && { job: ownFields(job) }),
    ...(note !== undefined && { note: readNote(note) }),
  });
}

/** A copy: what the host does with its own later changes no log. */
function readNote(note: unknown): JsonObject {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) throw invalid('note must be an object');
  try {
    return plainJson(note) as JsonObject;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw invalid(`note must be plain JSON: it has ${error.message}`);
  }
}

/** Throws `TH_OPTION_INVALID`. */
export function readResume(options: ResumeOptions): ResumeOptions {
  assertKnown(options, resumeOptionNames, 'option of resume');
  return readSignal(options);
}

function readSignal(options: RunOptions): RunOptions {
  const { signal } = ownFields(options);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
  return ownFields(signal === undefined ? {} : { signal });
}
