/** Pins that models of the AI SDK's V3 and V4 kinds are model ports. */
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { LanguageModelV4 } from 'ai-provider-v4';
import type { ModelPort } from '../src/index.js';

declare const v3: LanguageModelV3;
declare const v4: LanguageModelV4;
export const ports: ModelPort[] = [v3, v4];

const { doStream: _, ...silent } = v3;
// @ts-expect-error a model that cannot stream is no port
export const notAPort: ModelPort = silent;
