/** The grants of a session's open children, and of theirs: the session shows them, and they are taken back there. */
import { closeClass, frozen } from '@treblehook/core';
import type { Config } from '../config.js';
import type { SessionGrant } from '../contract.js';
import { childIdOf, childLogOf, isOfCall, taskOf, type TaskCall } from './child-log.js';
import type { OpenRun } from './open-run.js';
import { SessionGrants } from './session-grants.js';
import { SessionLog } from './session-log.js';

/** A session as its grants see it. */
export interface GrantPlace {
  readonly id: string;
  /** Names of the agents from the root to its own. */
  readonly path: readonly string[];
  readonly grants: SessionGrants;
  readonly children: ChildGrants;
  /** Where a revocation is written. */
  readonly log: SessionLog;
  /** Takes in what the log says of its own grants. */
  readonly readGrants: () => Promise<unknown>;
}

export class ChildGrants {
  readonly #open = new Map<string, GrantPlace>();

  /** What is known of a child; one that goes on has the same grants, so that what is taken back meanwhile stays so. */
  of(sessionId: string): Pick<GrantPlace, 'grants' | 'children'> {
    return this.#open.get(sessionId) ?? { grants: new SessionGrants(), children: new ChildGrants() };
  }

  /** It is the place of that child from now on. */
  take(place: GrantPlace): void {
    this.#open.set(place.id, place);
  }

  /** Its grants are over with it. */
  drop(sessionId: string): void {
    this.#open.delete(sessionId);
  }

  clear(): void {
    this.#open.clear();
  }

  /** Children of other runs are over. */
  only(sessionId: string, open: OpenRun | undefined): void {
    const left = new Set(open?.tasks.all().map((given) => childIdOf(taskOf(sessionId, given))));
    for (const id of this.#open.keys()) if (!left.has(id)) this.drop(id);
  }

  inForce(date: number): readonly SessionGrant[] {
    return [...this.#open.values()].flatMap(({ id: sessionId, path, grants, children }) => [
      ...Array.from(grants.inForce(date), (grant) => frozen({ ...grant, sessionId, path })),
      ...children.inForce(date),
    ]);
  }

  /** Nothing has to be read to take the grant back there. */
  placeOf(grantId: string): GrantPlace | undefined {
    for (const place of this.#open.values()) {
      const found = place.grants.knows(grantId) ? place : place.children.placeOf(grantId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Reads the logs of the children of an open run, and gives the ids of all their grants, the revoked ones too. */
  async read(
    config: Config,
    { id: sessionId, path }: Pick<GrantPlace, 'id' | 'path'>,
    open: OpenRun | undefined,
  ): Promise<ReadonlySet<string>> {
    const given = new Set<string>();
    for (const one of open?.tasks.all() ?? []) {
      const task = taskOf(sessionId, one);
      const id = childIdOf(task);
      const { grants } = this.of(id);
      const takeGrants = grants.reading();
      const log = await childLogOf(config, task);
      if (!isOfCall(log, task)) continue;
      if (log.open === undefined) {
        if (log.ended !== undefined) this.drop(id);
        continue;
      }
      for (const grantId of log.given) given.add(grantId);
      const there = this.#open.get(id);
      const place = there ?? leftOpen(config, task, [...path, log.agent!], grants);
      if (there === undefined) this.take(place);
      if (place.grants === grants) takeGrants(log); // else it goes on meanwhile, and has read the log itself
      for (const grantId of await place.children.read(config, place, log.open)) given.add(grantId);
    }
    return given;
  }
}
closeClass(ChildGrants);

/** A child that nobody of this process has gone on with. */
function leftOpen(config: Config, task: TaskCall, path: readonly string[], grants: SessionGrants): GrantPlace {
  const id = childIdOf(task);
  return {
    id,
    path,
    grants,
    children: new ChildGrants(),
    log: new SessionLog(config, id),
    async readGrants() {
      const take = grants.reading();
      take(await childLogOf(config, task));
    },
  };
}
