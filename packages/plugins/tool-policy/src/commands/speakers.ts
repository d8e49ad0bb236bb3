/** Programs that open no file that a word of theirs names, and ask nobody on a network. */
export const speakers: ReadonlySet<string> = new Set([
  'echo', 'printf', 'true', 'false', ':', 'sleep', 'exit', 'export', 'kill', 'set', 'shift', 'return', 'seq', 'umask',
]); // prettier-ignore
