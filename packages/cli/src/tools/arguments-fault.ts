/** What a tool says against arguments, on one line. */
import { approvalOf, type JsonValue, type Request, type Tool } from '@treblehook/types';

type Checked = Awaited<ReturnType<Tool['input']['~standard']['validate']>>;

/** Each issue with the argument that it is about. */
export function issuesText(issues: NonNullable<Checked['issues']>): string {
  const told = issues.map(({ message, path = [] }) => {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return steps.length === 0 ? message : `${steps.join('.')}: ${message}`;
  });
  return told.join('; ') || 'its schema refuses them';
}

/** The tool that a request is about; `undefined` of what is no call of these. */
export function toolOf(request: Request, tools: readonly Tool[]): Tool | undefined {
  const { source, name } = approvalOf(request)?.tool ?? {};
  return tools.find((one) => one.name === name && (one.source ?? 'host') === source);
}

/** Against other arguments for the call of a request; `undefined` when its tool takes them, or is not among these. */
export async function argumentsFault(
  request: Request,
  args: JsonValue,
  tools: readonly Tool[],
): Promise<string | undefined> {
  const checked = await toolOf(request, tools)?.input['~standard'].validate(args);
  return checked?.issues && issuesText(checked.issues);
}
