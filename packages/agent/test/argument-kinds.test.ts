// Owns the law that guards are told which arguments are paths, commands and URLs, by the tool's own word and no other.
import type { GuardedTool } from '@treblehook/types';
import { expect, it } from 'vitest';
import { call, echo, kit } from './kit.js';

it('a guard sees the kinds that the tool has declared, frozen, and none that it has not', async () => {
  const paths = ['file'];
  const free = { ...echo().tool, name: 'free' };
  const bound = { ...echo().tool, name: 'bound', paths, commands: ['text'], urls: ['text'] };
  const tools = [free, bound, { ...free, name: 'shell', commands: ['text'] }];
  const script = [call('free', { text: 'a' }), call('bound', { text: 'b' }), call('shell', { text: 'c' }), 'ok'];
  const { agent, registry } = kit(script, { tools, cwd: '/work' });
  paths[0] = 'changed later';
  const seen: GuardedTool[] = [];
  const logged: unknown[] = [];
  registry.registerClaiming('toolPolicy', ({ tool }) => void seen.push(tool));
  registry.registerVoid('toolEnd', ({ record }) => void logged.push(record.tool));
  await agent.run('go');
  const identities = agent.describe().tools.map(({ source, name, digest }) => ({ source, name, digest }));
  expect(seen.map((tool) => ({ ...tool }))).toEqual([
    identities[0],
    { ...identities[1], paths: ['file'], commands: ['text'], urls: ['text'] },
    { ...identities[2], commands: ['text'] },
  ]);
  expect(seen.every((tool) => Object.isFrozen(tool) && (!tool.commands || Object.isFrozen(tool.commands)))).toBe(true);
  expect(agent.describe().tools[1]).toMatchObject({ paths: ['file'], commands: ['text'], urls: ['text'] });
  // the record names who it was, no more
  expect(logged).toEqual(identities);
});
