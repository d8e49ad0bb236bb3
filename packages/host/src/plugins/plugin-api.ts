/** What the setup of one plugin is given: everything it registers is kept here, and dies with it. */
import {
  HookError,
  ownFields,
  textOf,
  type AgentHooks,
  type HookRegistrar,
  type JsonObject,
  type LogLevel,
  type NamesOf,
  type PluginApi,
  type PluginList,
  type PluginTool,
  type Tool,
  type Unregister,
} from '@treblehook/types';
import { pluginTool } from './plugin-tool.js';
import type { ReadUse } from './plugin-use.js';

/** What a plugin said. */
export interface PluginLogEntry {
  readonly plugin: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: JsonObject;
}

/** What the api of a plugin needs of its host. */
export interface ApiWorld {
  readonly registrar: HookRegistrar<AgentHooks>;
  /** Whether there is a point of this name. */
  readonly hasPoint: (name: string) => boolean;
  /** Whether it is the plugin's own, as the registry has it. */
  readonly isOwnPoint: (name: string) => boolean;
  /** Who has a tool of this name: `the host`, `the plugin 'acme'`. */
  readonly ownerOfTool: (name: string) => string | undefined;
  readonly onLog: (entry: PluginLogEntry) => void;
}

type Register = (name: string, handler: unknown, options: unknown) => Unregister;
type Phase = 'setup' | 'live' | 'dead';
export type Dispose = () => void | PromiseLike<void>;

/** One edition of a plugin: the api that its setup has, and what was done with it. */
export class Edition {
  readonly api: PluginApi<{}, unknown>;
  readonly tools: Tool[] = [];
  readonly #use: ReadUse;
  readonly #disposers: Dispose[] = [];
  /** Live handlers by point. */
  readonly #registered = new Map<string, number>();
  #phase: Phase = 'setup';

  constructor(use: ReadUse, config: unknown, world: ApiWorld) {
    this.#use = use;
    this.api = this.#make(config, world);
  }

  /** Setup is over: tools are what they are. */
  settle(): void {
    this.#phase = 'live';
  }

  /** Every member of the api throws from here on. */
  kill(): void {
    this.#phase = 'dead';
  }

  /** What is to be called at the end, the last one first; each is given once. */
  takeDisposers(): readonly Dispose[] {
    return this.#disposers.splice(0).toReversed();
  }

  /** Throws `TH_PLUGIN_UNDECLARED` for what was declared and is not there. */
  assertDeclared(): void {
    const { id, declared } = this.#use;
    if (declared === undefined) return;
    const lacks = [
      ...declared.hooks.filter((hook) => !this.#registered.get(hook)).map((hook) => `a handler of '${hook}'`),
      ...declared.tools
        .filter((name) => !this.tools.some((tool) => tool.name === name))
        .map((name) => `the tool '${name}'`),
    ];
    if (lacks.length === 0) return;
    const what = `its manifest declares ${lacks.join(', ')}, and its setup registered none`;
    throw new HookError('TH_PLUGIN_UNDECLARED', { plugin: id, what });
  }

  #make(config: unknown, { registrar, hasPoint, isOwnPoint, ownerOfTool, onLog }: ApiWorld): PluginApi<{}, unknown> {
    const alive = (member: string): void => this.#assertAlive(member);
    const registering =
      (register: 'registerVoid' | 'registerModifying' | 'registerClaiming') =>
      (name: string, handler: unknown, options?: unknown): Unregister => {
        alive(`hooks.${register}`);
        if (!isOwnPoint(name)) this.#assertMayRegister(name, hasPoint);
        const off = (registrar[register] as Register)(name, handler, options);
        this.#count(name, 1);
        let isOn = true;
        return () => {
          if (isOn) this.#count(name, -1);
          isOn = false;
          off();
        };
      };
    const saying = (level: LogLevel) => (message: string, fields?: JsonObject) => {
      alive(`log.${level}`);
      const entry = { plugin: this.#use.id, level, message: textOf(message), ...(fields && { fields }) };
      onLog(Object.freeze(ownFields(entry)));
    };
    const api = {
      hooks: Object.freeze({
        registerVoid: registering('registerVoid'),
        registerModifying: registering('registerModifying'),
        registerClaiming: registering('registerClaiming'),
        hasHandlers: (name: NamesOf<AgentHooks>, plugins?: PluginList) => {
          alive('hooks.hasHandlers');
          return registrar.hasHandlers(name, plugins);
        },
        plan: (name: NamesOf<AgentHooks>, plugins?: PluginList) => {
          alive('hooks.plan');
          return registrar.plan(name, plugins);
        },
      }),
      tools: Object.freeze({
        register: (tool: PluginTool) => {
          alive('tools.register');
          this.#addTool(tool, ownerOfTool);
        },
      }),
      log: Object.freeze({
        debug: saying('debug'),
        info: saying('info'),
        warn: saying('warn'),
        error: saying('error'),
      }),
      onDispose: (dispose: Dispose) => {
        alive('onDispose');
        if (typeof dispose !== 'function') {
          throw new HookError('TH_OPTION_INVALID', { what: 'onDispose takes a function', owner: this.#use.id });
        }
        this.#disposers.push(dispose);
      },
    };
    return Object.freeze({
      ...api,
      get config() {
        alive('config');
        return config;
      },
    });
  }

  #assertAlive(member: string): void {
    if (this.#phase !== 'dead') return;
    const mend = 'it ended with its setup, or with the plugin: use the api of the setup in force';
    throw new HookError('TH_DISPOSED', { what: `api.${member}`, owner: this.#use.id, mend });
  }

  #assertMayRegister(hook: string, hasPoint: ApiWorld['hasPoint']): void {
    const { id, declared } = this.#use;
    if (declared === undefined || declared.hooks.includes(hook)) return;
    // what is no point at all is refused by the registry, with the nearest name
    if (!hasPoint(hook)) return;
    const what = `it registers on '${hook}', which its manifest does not declare: add it to treblehook.hooks`;
    throw new HookError('TH_PLUGIN_UNDECLARED', { plugin: id, what });
  }

  #addTool(given: PluginTool, ownerOfTool: ApiWorld['ownerOfTool']): void {
    const { id, declared } = this.#use;
    const tool = pluginTool(id, given);
    const refuse = (what: string): never => {
      throw new HookError('TH_TOOL_INVALID', { tool: tool.name, what });
    };
    if (this.#phase !== 'setup') {
      const what = "api.tools.register behind the end of the plugin's setup";
      throw new HookError('TH_DISPOSED', { what, owner: id, mend: 'register tools in setup, or reload the plugin' });
    }
    if (this.tools.some(({ name }) => name === tool.name))
      refuse(`the plugin '${id}' registers two tools of this name`);
    const owner = ownerOfTool(tool.name);
    if (owner !== undefined) refuse(`${owner} has a tool of this name: the plugin '${id}' calls its own otherwise`);
    if (declared !== undefined && !declared.tools.includes(tool.name)) {
      const what = `it registers the tool '${tool.name}', which its manifest does not declare: add it to treblehook.tools`;
      throw new HookError('TH_PLUGIN_UNDECLARED', { plugin: id, what });
    }
    this.tools.push(tool);
  }

  #count(hook: string, by: 1 | -1): void {
    this.#registered.set(hook, (this.#registered.get(hook) ?? 0) + by);
  }
}
