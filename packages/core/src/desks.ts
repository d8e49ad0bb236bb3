/** Taking handlers in and letting them go: registrars, disposal, and the replacement of an owner's set in one step. */
import { closeClass } from './closed-class.js';
import {
  HookError,
  type HookModel,
  type HookRegistrar,
  type PluginList,
  type RegisterOptions,
  type StagedHandlers,
  type Unregister,
} from '@treblehook/types';
import { record } from './option.js';
import { append } from './frozen.js';
import { formedPluginId, type Owners } from './owners.js';
import { faultsOf, nameOfFault } from './order-faults.js';
import type { Point } from './point.js';
import { makeRegistration } from './registering.js';
import { host, type Home, type Registration } from './registration.js';
import type { Reporter } from './report.js';
import { isPromised } from './thenable.js';

type Placed = readonly [point: Point, registration: Registration];

/** One registrar's place: dead when its home is gone or has another edition. */
interface Desk {
  readonly home: Home;
  readonly edition: number;
  /** Set while a set is staged: what is registered waits here. */
  gathered: Placed[] | undefined;
}

export class Desks {
  /** Once true, a registration that would break the order throws. */
  isVerified = false;

  readonly #points: ReadonlyMap<string, Point>;
  readonly #pointOf: (name: unknown, owner?: string) => Point;
  readonly #owners: Owners;
  readonly #budgets: ReadonlyMap<string, number>;
  readonly #reporter: Reporter;
  readonly #inspecting: Pick<HookRegistrar<any>, 'hasHandlers' | 'plan'>;
  #seq = 0;
  #editions = 0;

  constructor(
    points: ReadonlyMap<string, Point>,
    pointOf: (name: unknown, owner?: string) => Point,
    owners: Owners,
    budgets: ReadonlyMap<string, number>,
    reporter: Reporter,
    inspecting: Pick<HookRegistrar<any>, 'hasHandlers' | 'plan'>,
  ) {
    this.#points = points;
    this.#pointOf = pointOf;
    this.#owners = owners;
    this.#budgets = budgets;
    this.#reporter = reporter;
    this.#inspecting = inspecting;
  }

  /** The host's own registrar; by `pluginId` it registers on a plugin's behalf. */
  hostRegistrar(): HookRegistrar<any> {
    return this.#registrar((pluginId) => {
      const home = this.#owners.home(pluginId === undefined ? host : this.#owners.pluginId(pluginId));
      return deskAt(home);
    });
  }

  pluginRegistrar(pluginId: string): HookRegistrar<any> {
    const home = this.#owners.home(this.#owners.pluginId(pluginId));
    home.isNamed = true;
    return this.#bound(deskAt(home));
  }

  #bound(desk: Desk): HookRegistrar<any> {
    const { owner } = desk.home;
    return this.#registrar((pluginId) => {
      if (pluginId === undefined || pluginId === owner) return desk;
      const what = `this registrar is bound to '${owner}' and cannot register for '${pluginId}'`;
      throw new HookError('TH_OPTION_INVALID', { what, owner });
    });
  }

  /** Throws `TH_DISPOSED` for a registrar whose plugin is gone or was replaced. */
  #assertAlive({ home, gathered, edition }: Desk): void {
    if (!home.gone && (gathered !== undefined || edition === home.edition)) return;
    const mend = 'take a new one from forPlugin, or use the one that replace gave';
    throw new HookError('TH_DISPOSED', { what: 'the registrar', owner: home.owner, mend });
  }

  #registrar(deskFor: (pluginId: string | undefined) => Desk): HookRegistrar<any> {
    const registering =
      (model: HookModel) =>
      (name: unknown, handler: unknown, options: RegisterOptions = {}): Unregister => {
        const own = record('the options of a registration', options);
        return this.#register(deskFor(own.pluginId), model, name, handler, own);
      };
    return Object.freeze({
      registerVoid: registering('void'),
      registerModifying: registering('modifying'),
      registerClaiming: registering('claiming'),
      hasHandlers: (name: any, plugins?: PluginList) => {
        this.#assertAlive(deskFor(undefined));
        return this.#inspecting.hasHandlers(name, plugins);
      },
      plan: (name: any, plugins?: PluginList) => {
        this.#assertAlive(deskFor(undefined));
        return this.#inspecting.plan(name, plugins);
      },
    });
  }

  #register(desk: Desk, model: HookModel, name: unknown, handler: unknown, options: RegisterOptions): Unregister {
    this.#assertAlive(desk);
    const { home, gathered } = desk;
    const { owner } = home;
    const point = this.#pointOf(name, owner);
    const registration = makeRegistration(
      { point, home, seq: ++this.#seq, owners: this.#owners, budgets: this.#budgets },
      { model, handler, options },
    );
    const { id } = registration;
    const isTaken = gathered ? gathered.some(([at, one]) => at === point && one.id === id) : point.live.has(id);
    if (isTaken) {
      throw new HookError('TH_ID_TAKEN', {
        id,
        where: ` on '${point.name}'`,
        hook: point.name,
        owner,
        what: 'give it another id',
      });
    }
    if (gathered) append(gathered, [point, registration] as const);
    else this.#add(point, registration);
    return () => {
      if (this.#remove(point, registration)) registration.removed = true;
      const waiting = desk.gathered?.findIndex(([, one]) => one === registration) ?? -1;
      if (waiting >= 0) desk.gathered!.splice(waiting, 1);
    };
  }

  #add(point: Point, registration: Registration): void {
    point.add(registration);
    if (this.isVerified && point.hasEdges) {
      try {
        point.ordered();
      } catch (error) {
        point.remove(registration);
        throw error;
      }
    }
    this.#settled(point, registration);
  }

  #settled(point: Point, { owner, id, ref }: Registration): void {
    this.#owners.settle(owner, id);
    this.#reporter.tell('registered', () => ({ hook: point.name, by: ref }));
  }

  #remove(point: Point, registration: Registration): boolean {
    if (!point.remove(registration)) return false;
    this.#left(point, registration);
    return true;
  }

  #left(point: Point, { owner, id, ref }: Registration): void {
    this.#reporter.forget(ref);
    this.#owners.leave(owner, id);
    this.#reporter.tell('unregistered', () => ({ hook: point.name, by: ref }));
  }

  unregisterPlugin(pluginId: string): void {
    this.#owners.dispose(formedPluginId(pluginId));
    for (const [point, registration] of this.#ownedBy(pluginId)) {
      if (this.#remove(point, registration)) registration.removed = true;
    }
  }

  replace(pluginId: string, fill: (registrar: HookRegistrar<any>) => void): void {
    const staged = this.stage(pluginId);
    try {
      if (typeof fill !== 'function') {
        const what = 'replace takes a function that registers the new set';
        throw new HookError('TH_OPTION_INVALID', { what, owner: pluginId });
      }
      if (isPromised(fill(staged.registrar))) {
        const what = 'the function given to replace must be synchronous: prepare first, then register, or use stage';
        throw new HookError('TH_OPTION_INVALID', { what, owner: pluginId });
      }
    } catch (error) {
      staged.discard();
      throw error;
    }
    staged.commit();
  }

  stage(pluginId: string): StagedHandlers<any> {
    const home = this.#owners.home(this.#owners.pluginId(pluginId));
    const desk: Desk = { home, edition: ++this.#editions, gathered: [] };
    const taken = (): readonly Placed[] | undefined => {
      const { gathered } = desk;
      desk.gathered = undefined;
      return gathered;
    };
    return Object.freeze({
      registrar: this.#bound(desk),
      commit: () => {
        const fresh = taken();
        if (fresh === undefined || home.gone) {
          const what = fresh === undefined ? 'the staged set' : 'the plugin';
          const mend =
            fresh === undefined ? 'it was committed or discarded: stage another' : 'do not dispose of it meanwhile';
          throw new HookError('TH_DISPOSED', { what, owner: home.owner, mend });
        }
        this.#install(desk, fresh);
      },
      discard: () => void taken(),
    });
  }

  /** Replaced handlers are not removed: the fires that began with them still run them. */
  #install({ home, edition }: Desk, fresh: readonly Placed[]): void {
    const old = this.#ownedBy(home.owner);
    // where nothing comes or goes nothing breaks
    const touched = new Set([...old, ...fresh].map(([point]) => point));
    const before = new Set(this.faults(touched).map(nameOfFault));
    swap(old, fresh);
    const broken = this.faults(touched).find((fault) => !before.has(nameOfFault(fault)));
    if (broken !== undefined) {
      swap(fresh, old);
      throw broken;
    }
    home.edition = edition;
    home.replaced = [
      ...home.replaced.filter((earlier) => earlier.deref() !== undefined),
      ...old.map(([, registration]) => new WeakRef(registration)),
    ];
    for (const [point, registration] of old) this.#left(point, registration);
    for (const [point, registration] of fresh) this.#settled(point, registration);
  }

  /** What `verify()` finds of these points; of all when none are given. */
  faults(points: Iterable<Point> = this.#points.values()): readonly HookError[] {
    return faultsOf(points, this.#points);
  }

  #ownedBy(owner: string): readonly Placed[] {
    return [...this.#points.values()].flatMap((point) =>
      [...point.live.values()].filter((one) => one.owner === owner).map((one) => [point, one] as const),
    );
  }
}
closeClass(Desks);

/** Every field its own: one that is not set is not looked for on `Object.prototype`. */
const deskAt = (home: Home): Desk => ({ home, edition: home.edition, gathered: undefined });

function swap(out: readonly Placed[], into: readonly Placed[]): void {
  for (const [point, registration] of out) point.remove(registration);
  for (const [point, registration] of into) point.add(registration);
}
