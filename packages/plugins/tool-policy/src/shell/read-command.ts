export interface CommandReading {
  readonly commands: readonly SimpleCommand[];
  readonly unknown: readonly string[];
}
export interface SimpleCommand {
  readonly program: string;
  readonly path: string;
  readonly words: readonly (string | undefined)[];
  readonly redirects: readonly { readonly kind: 'read' | 'write'; readonly target: string | undefined }[];
  readonly assigns: readonly string[];
  readonly behind: readonly string[];
}
export function readCommand(_command: string | readonly string[]): CommandReading {
  return { commands: [], unknown: ['stub'] };
}
