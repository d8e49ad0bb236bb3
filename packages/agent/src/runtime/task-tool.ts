/** The tool `task` as the model sees it. */
import { ownFields, type Tool } from '@treblehook/types';
import { taskName } from '../session/given-tasks.js';

export interface TaskArgs {
  readonly agent: string;
  readonly prompt: string;
}

/** `agents`: names, each with what the agent is for. */
export function taskTool(agents: ReadonlyMap<string, string>, execute: Tool<TaskArgs>['execute']): Tool<TaskArgs> {
  const lines = [...agents].map(([name, what]) => `- ${name}${what === '' ? '' : `: ${what}`}`);
  const names = [...agents.keys()];
  const refuse = (message: string, key: string) => ({ issues: [{ message, path: [key] }] });
  return {
    name: taskName,
    description: `Gives a task to another agent, which works on its own and answers. It knows nothing but the prompt. Agents:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: { agent: { type: 'string', enum: names }, prompt: { type: 'string', minLength: 1 } },
      required: ['agent', 'prompt'],
      additionalProperties: false,
    },
    input: {
      '~standard': {
        version: 1,
        vendor: 'treblehook',
        validate(value) {
          if (typeof value !== 'object' || value === null) return refuse('must be an object', '');
          const { agent, prompt, ...more } = ownFields(value as Partial<TaskArgs>);
          const [odd] = Object.keys(more);
          if (odd !== undefined) return refuse('is no argument: there is agent, prompt', odd);
          if (typeof agent !== 'string' || !agents.has(agent))
            return refuse(`must be one of ${names.join(', ')}`, 'agent');
          if (typeof prompt !== 'string' || prompt === '') return refuse('must be a text that is not empty', 'prompt');
          return { value: { agent, prompt } };
        },
      },
    },
    concurrency: 'safe', // neighbours work side by side
    execute,
  };
}
