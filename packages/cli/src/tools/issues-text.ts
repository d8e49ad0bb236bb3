/** What a schema says against arguments, on one line. */
import type { Tool } from '@treblehook/types';

type Checked = Awaited<ReturnType<Tool['input']['~standard']['validate']>>;

/** Each issue with the argument that it is about; empty when the schema says nothing. */
export const issuesText = (issues: NonNullable<Checked['issues']>): string =>
  issues
    .map(({ message, path = [] }) => {
      const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
      return steps.length === 0 ? message : `${steps.join('.')}: ${message}`;
    })
    .join('; ');
