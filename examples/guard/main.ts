/** A guard: it may deny or ask, nobody can allow, and what each guard said is left as a record. */
import { createHost } from '@treblehook/host';
import { scriptedModel, type ScriptedCall } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

const sent: string[] = [];
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to }) => `sent as number ${sent.push(to)}`,
});
const mail = (to: string): ScriptedCall => ({ name: 'send_mail', args: { to, text: 'Hello!' } });

const host = await createHost({
  model: scriptedModel([
    { calls: [mail('ann@example.org'), mail('press@example.org'), mail('bob@elsewhere.net')] },
    'I wrote to whom I may.',
    { calls: [mail('ann@example.org')] },
    'I could not.',
  ]),
  tools: [sendMail],
  onAsk: 'deny', // nobody ever answers here; `approval` shows how a run waits
  policy: {
    rules: [
      { tools: 'send_mail', when: { '/to': { glob: 'press@*' } }, decision: 'ask', reason: 'Write to the press?' },
    ],
  },
});

// A rule that no list can say is a guard of one's own. It looks at the sealed call: the very arguments that would run.
host.registry.registerClaiming(
  'toolPolicy',
  ({ tool, args }) => {
    if (tool.name !== 'send_mail') return undefined; // no opinion
    // args is JSON: narrow it before a field is read
    const to = typeof args === 'object' && args !== null && 'to' in args ? args.to : undefined;
    if (typeof to !== 'string') return { deny: 'nobody is named' };
    return to.endsWith('@example.org') ? undefined : { deny: `${to} is no colleague` };
  },
  { id: 'colleagues' },
);

host.registry.registerVoid('toolEnd', ({ record, result }) => {
  const said = record.verdicts.map(({ by, verdict, kind }) => `${by.id}: ${verdict} (${kind})`);
  console.log(`${record.decision}: ${result.output}\n  ${said.join(', ')}`);
});

await host.agent.run('Write to Ann, to the press and to Bob.');

// A guard that fails is a denial: there is no yes that nobody gave.
const broken = (): undefined => {
  throw new Error('the directory is down');
};
host.registry.events.on('handlerFailed', () => {}); // heard here, so no process warning
host.registry.registerClaiming('toolPolicy', broken, { id: 'directory' });
await host.agent.run('Write to Ann again.');

console.log(`mails sent: ${sent.join(', ')}`);
