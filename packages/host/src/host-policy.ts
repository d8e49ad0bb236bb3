/** The policy of a host in its layers, installed as a guard; read anew it takes the old one's place in one step. */
import { compilePolicy, install } from '@treblehook/plugin-tool-policy';
import { ownFields, type AgentHooks, type HookRegistry, type Unregister } from '@treblehook/types';
import type { HostOptions } from './host-options.js';
import type { LoadedPersonality } from './personality.js';
import { readLayers, type LoadedLayer } from './policy-file.js';

type PolicyOptions = Pick<HostOptions, 'policy' | 'defaultPolicy' | 'projectPolicy' | 'onDryRun' | 'cwd'>;

export class HostPolicy {
  readonly #registry: HookRegistry<AgentHooks>;
  readonly #options: PolicyOptions;
  #layers: readonly LoadedLayer[];
  #uninstall: Unregister;

  private constructor(registry: HookRegistry<AgentHooks>, options: PolicyOptions, layers: readonly LoadedLayer[]) {
    this.#registry = registry;
    this.#options = options;
    this.#layers = layers;
    this.#uninstall = this.#install(layers);
  }

  /** Rejects with `TH_CONFIG_INVALID`. */
  static async install(
    registry: HookRegistry<AgentHooks>,
    options: PolicyOptions,
    personalities: readonly LoadedPersonality[],
  ): Promise<HostPolicy> {
    return new HostPolicy(registry, options, await layersOf(options, personalities));
  }

  get layers(): readonly LoadedLayer[] {
    return this.#layers;
  }

  /** Reads the layers for these personalities; `swap` puts them in force. Rejects with `TH_CONFIG_INVALID`. */
  async prepare(
    personalities: readonly LoadedPersonality[],
  ): Promise<{ readonly layers: readonly LoadedLayer[]; readonly swap: () => void }> {
    const layers = await layersOf(this.#options, personalities);
    compilePolicy(layers, this.#world()); // what it refuses must not cost us the policy in force
    const swap = (): void => {
      this.#uninstall();
      this.#uninstall = this.#install(layers);
      this.#layers = layers;
    };
    return { layers, swap };
  }

  /** The files of these personalities and of their policies. */
  filesOf(personalities: readonly LoadedPersonality[]): readonly string[] {
    return personalities.flatMap(({ file, personality: { policy } }) => [
      ...(file === undefined ? [] : [file]),
      ...(file !== undefined && typeof policy === 'string' ? [policy] : []),
    ]);
  }

  #world(): { readonly cwd?: string } {
    const { cwd } = this.#options;
    return cwd === undefined ? {} : { cwd };
  }

  #install(layers: readonly LoadedLayer[]): Unregister {
    const { onDryRun } = this.#options;
    return install(this.#registry, layers, ownFields({ ...this.#world(), ...(onDryRun && { onDryRun }) }));
  }
}

/** The first personality's layer is called `personality`, those of others by their ids; each judges its own calls. */
async function layersOf(
  { policy, defaultPolicy, projectPolicy }: PolicyOptions,
  [first, ...others]: readonly LoadedPersonality[],
): Promise<readonly LoadedLayer[]> {
  const { id, policy: personalityPolicy } = first!.personality;
  const personalityPolicies = new Map(
    others.flatMap(({ personality: one }) => (one.policy === undefined ? [] : [[one.id, one.policy] as const])),
  );
  const layers = await readLayers({ policy, defaultPolicy, projectPolicy, personalityPolicy, personalityPolicies });
  if (others.length === 0) return layers;
  return layers.map((layer) => (layer.name === 'personality' ? { ...layer, personalities: [id] } : layer));
}
