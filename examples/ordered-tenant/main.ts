/** Ordered tenants: who sits on one hook point, in the order of a written list, and what a lock makes final. */
import { createAgent } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install as installCompaction } from '@treblehook/plugin-compaction';
import { install as installRouteGate } from '@treblehook/plugin-route-gate';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, type Message } from '@treblehook/types';

// The order is this list, and nothing else: not who registers first, not a number.
const registry = createHookRegistry(agentHooks, {
  order: { beforeLLM: ['*', 'compaction', 'route-gate', 'stamp'] },
  locks: { beforeLLM: { 'route-gate': ['model'] } },
});

const said = (role: Message['role'], text: string): Message => ({ role, content: [{ type: 'text', text }] });
const stamp = ({ messages }: { readonly messages: readonly unknown[] }) => ({
  model: 'large', // too late: the route gate stands before it and has locked the model
  inject: [said('user', `(${messages.length} messages)`)],
});
registry.forPlugin('stamp').registerModifying('beforeLLM', stamp, { id: 'note' });
installRouteGate(registry, {
  routes: { small: { tier: 'cheap' }, large: { tier: 'frontier' } },
  rules: [{ tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } }],
});
installCompaction(registry, { maxTokens: 400 });
registry.forPlugin('eager').registerModifying('beforeLLM', () => ({ model: 'large' }), { id: 'upgrade' });

console.log('the plan:');
for (const { id, owner, entry, locks } of registry.plan('beforeLLM', ['stamp', 'eager'])) {
  console.log(`  ${id} of ${owner}, seat '${entry}'${locks.length > 0 ? `, locks ${locks.join(', ')}` : ''}`);
}

registry.events.on('amendmentRefused', ({ error }) => console.log(`refused: ${error.message}`));
registry.events.on('fired', ({ hook, stages }) => {
  if (hook !== 'beforeLLM') return;
  for (const { by, outcome, amendment = {} } of stages) {
    console.log(`${by.id} ${outcome} ${Object.keys(amendment).join(', ')}`);
  }
});

const small = scriptedModel(['Short again.'], { modelId: 'small' });
const large = scriptedModel([], { modelId: 'large' });
const agent = createAgent({
  models: { small, large },
  model: 'small',
  registry,
  personality: { id: 'default', plugins: ['stamp', 'eager'] },
});
const earlier = ['one', 'two', 'three'].flatMap((word) => [said('user', word), said('assistant', word.repeat(300))]);
const { model } = await agent.session({ messages: earlier }).run('And now?');

console.log(`asked: ${model}, with ${small.calls[0]?.prompt.length} messages; before there were ${earlier.length + 1}`);
