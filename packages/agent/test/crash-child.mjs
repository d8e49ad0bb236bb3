// Runs until the boundary that it is told, and kills itself there.
import { createAgent } from '@treblehook/agent';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';
import { agentOf } from './crash-run.mjs';

const [path = '', effects = '', point = ''] = process.argv.slice(2);
let count = 0;
const parts = { createAgent, scriptedModel, createHookRegistry, agentHooks, defineTool, z };
const agent = agentOf(parts, sqliteStore({ path }), effects, () => {
  if (count++ === Number(point)) process.kill(process.pid, 'SIGKILL');
});
await agent.session('s').run('note six things');
