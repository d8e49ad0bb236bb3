/** What a session has beside its agent: its place among those of its id, and under its parent. */
import type { ChildGrants } from './child-grants.js';

/** A session among those of its id: one at a time. */
export interface Tenure {
  /** The end of the one before, which its runs wait for. */
  readonly before?: Promise<void> | undefined;
  /** Of a child: where its parent's session shows its grants. */
  readonly above?: ChildGrants;
  /** It takes no run any more; `end` never rejects. */
  readonly onClosing?: (end: Promise<void>) => void;
  /** Its end was told. */
  readonly onClosed?: () => void;
}
