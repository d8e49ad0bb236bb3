/** The error table: every code with its message template, its meaning and the mend. */

export interface ErrorRow {
  /** `{name}` stands for a detail of the error. */
  readonly message: string;
  /** When it is thrown or reported; printed in the reference. */
  readonly when: string;
}

const rows = {
  TH_UNKNOWN_HOOK: {
    message: "no hook point '{hook}'{near}{who}",
    when: 'A name that the catalogue lacks. The message suggests the nearest name or an alias.',
  },
  TH_WRONG_MODEL: {
    message: "'{hook}' is {model}: use {use}{who}",
    when: 'A handler is registered, or a point fired, through the function of another model.',
  },
  TH_DECLARED_TWICE: {
    message: "'{hook}' is declared twice: rename one of the two",
    when: 'Two catalogues given to `defineHooks` declare one name.',
  },
  TH_POINT_INVALID: {
    message: "the entry of '{hook}' is not valid: {what}",
    when: 'A catalogue entry contradicts itself, such as a terminal key that is no amendment key.',
  },
  TH_OPTION_INVALID: {
    message: '{what}{where}{who}',
    when: 'An option, id, owner, budget or error policy that is not allowed.',
  },
  TH_ID_TAKEN: {
    message: "the id '{id}' is taken{where}: {what}{who}",
    when: 'Two live registrations share a full id on one point, or a plugin and a host handler share a name.',
  },
  TH_ORDER_INVALID: {
    message: "the order of '{hook}' is not valid: {what}",
    when: "An order list names an entry twice, has a second '*', or names an id that nobody can have.",
  },
  TH_ORDER_UNKNOWN: {
    message: "{what} of '{hook}' names '{id}', {why}: {mend}",
    when: "`verify()`: a list entry without `'?'` that nobody sits on; at creation: a lock on an entry that the list lacks.",
  },
  TH_ORDER_CYCLE: {
    message: "'{hook}' cannot be ordered: {ids} wait for one another; drop one of their before/after",
    when: 'The before/after of live handlers of one entry form a cycle.',
  },
  TH_DISPOSED: {
    message: '{what} was disposed of{who}: {mend}',
    when: 'A registrar of a plugin that is gone, the `ctx` of a handler after its call or of a tool after its body, or a session, an agent or a runtime that was closed.',
  },
  TH_HANDLER_FAILED: {
    message: "'{id}' failed on '{hook}'{who}: {what}",
    when: 'A handler threw or rejected. `cause` is its error.',
  },
  TH_HANDLER_TIMEOUT: {
    message: "'{id}' did not answer '{hook}' within {ms} ms{who}",
    when: 'A handler ran over its budget. A late answer is dropped.',
  },
  TH_LISTENER_FAILED: {
    message: "a listener of '{type}' failed: {what}",
    when: 'A listener of `registry.events` threw or rejected. A warning of the process; it is never thrown.',
  },
  TH_RESULT_INVALID: {
    message: "'{id}' gave '{hook}' an answer that is refused{who}: {what}",
    when: 'An answer that is no amendment, claim or verdict of its point, or that its `check` refuses.',
  },
  TH_KEY_LOCKED: {
    message: "'{id}' may not set '{key}' of '{hook}'{who}: it is locked by '{lock}', which stands before it",
    when: 'A stage returns a key that an earlier stage has locked. The rest of its amendment stands.',
  },
  TH_KEY_TAKEN: {
    message: "'{id}' set '{key}' of '{hook}'{who}, which '{first}' had set before: the first value stands",
    when: 'A merge key that an earlier handler has filled.',
  },
  TH_HOST_KEY: {
    message: "'{id}' may not set '{key}' of '{hook}'{who}: only a host handler may",
    when: 'A plugin returns a host key. The rest of its amendment stands.',
  },
  TH_PAYLOAD_INVALID: {
    message: 'the payload{where} is refused: {what}',
    when: 'A payload with a cycle, an accessor, a missing field, or nested too deep; a part that is to be adopted and is not frozen.',
  },
  TH_ABORTED: {
    message: "the fire of '{hook}' was aborted",
    when: "The caller's signal aborted before the last answer was in. `cause` is the signal's reason.",
  },
  TH_NOT_YOURS: {
    message: "'{id}' may not fire '{hook}'{who}: it fires only points that name it as owner or firedBy",
    when: '`ctx.fire` on a point that is not the handler’s, or that the plugin of the tool does not own.',
  },
  TH_REENTRANT: {
    message: "'{hook}' is already being fired in this chain: {chain}",
    when: '`ctx.fire` on a point from whose handler the call came.',
  },
  TH_VERIFY_FAILED: {
    message: '{count} faults: {what}',
    when: '`verify()` found more than one fault; `faults` lists them.',
  },
  TH_NO_GUARD: {
    message: "the agent has tools and no guard on 'toolPolicy': register a guard, or say unguarded: '<why>'",
    when: 'An agent with tools and an empty guard plan is asked to run.',
  },
  TH_ARGS_INVALID: {
    message: "the arguments of '{tool}' cannot be sealed: {what}",
    when: 'Arguments that are not plain JSON.',
  },
  TH_NOT_CLEARED: {
    message: "the body of '{tool}' may not run: {what}",
    when: 'The executor is given something else than an unused clearance for this tool under the present guards.',
  },
  TH_TOOL_INVALID: {
    message: "the tool '{tool}' is not valid: {what}",
    when: 'A tool is registered without a name, description, schema or body, or under a taken name.',
  },
  TH_HISTORY_INVALID: {
    message: 'the history is not valid: {what}',
    when: 'A transcript that one repair could not mend, or a log whose records contradict one another or are none: the first such is named, with its field. Nothing is sent.',
  },
  TH_SESSION_BUSY: {
    message: "the session '{session}' was not free within {ms} ms: {what}",
    when: 'A run, or `close`, waited for its turn longer than `lockWaitMs` (a run of a runtime: than `inboxWaitMs`), such as one that a tool body of the same session waits for. `details.holder` is the id of the run that holds the session.',
  },
  TH_INBOX_FULL: {
    message: "the inbox of the agent '{agent}' is full: {cap} runs wait already; send it again later",
    when: 'A runtime gets a message for an agent as whose inbox holds `inboxCap` runs that wait for a turn. Nothing of it is kept.',
  },
  TH_SESSION_UNKNOWN: {
    message: "there is no session '{session}' in {store}: {mend}",
    when: 'A command names a session that its store does not have.',
  },
  TH_MESSAGE_INVALID: {
    message: 'the message is not taken: {what}',
    when: '`runtime.receive` is given a message without platform, chatId or text, or with another field, one that cannot be read (`cause`), or one of a platform that no channel has and that nobody claims. Nothing has run.',
  },
  TH_CHANNEL_FAILED: {
    message: "the channel '{platform}' has not sent to '{chatId}': {what}",
    when: '`error` of a message that `runtime.receive` could not send: its channel threw or rejected (`cause`), or was given up on when the delivery was aborted.',
  },
  TH_ANSWER_REFUSED: {
    message: "the session '{session}' takes no answer to '{request}': {what}",
    when: 'An answer to a request that is unknown, has expired, was answered before, or was given up since the conversation went on. The message quotes the reason of a no that stands. Nothing has run.',
  },
  TH_WRONG_AGENT: {
    message: "the session '{session}' is one of the agent '{opener}', and '{agent}' may not go on with it: {mend}",
    when: 'A session is read, run, resumed, switched or given an answer by an agent of another name than the one that opened it. Nothing has run, nothing is settled or written.',
  },
  TH_NOTHING_OPEN: {
    message: "the session '{session}' cannot go on here: {what}",
    when: '`resume` on a session whose last run has ended, or is of a personality that the agent does not have; `run` and `resume` on the session of a task, which goes on under its parent. Nothing has run. The child of a task ends `failed` with it.',
  },
  TH_PERSONALITY_REFUSED: {
    message: "the session '{session}' cannot be the personality '{personality}': {what}",
    when: 'A switch of a session whose last run is left open, or to what its settings do not allow; a run of a session whose personality the agent does not have. Nothing has run.',
  },
  TH_CALL_VETOED: {
    message: "the model call for '{purpose}' is not made: {what}",
    when: 'A model call of a handler (`ctx.callModel`) that a stage of `beforeLLM` vetoed, or that a limit of the run forbids.',
  },
  TH_ANSWERER_FAILED: {
    message: 'the answerer failed, so nobody has answered: {what}',
    when: 'A process warning: the answerer rejected, or gave no answer to the request. The request stays open; that of a call that a body makes is refused, since it cannot wait.',
  },
  TH_CORE_REFUSED: {
    message: "the 'core' of around.{kind} may not be called: {what}",
    when: 'A wrapper of `around` calls `core` twice at the same time, when it is over, or where nothing more may run. Nothing has run.',
  },
  TH_AROUND_FAILED: {
    message: 'around.{kind} {what}',
    when: 'A wrapper of `around` gave what is no proposal, or neither called `core` nor proposed anything. A process warning, with its error as `cause`, where it threw and what stands is not its to change.',
  },
  TH_METRIC_FAILED: {
    message: 'a metric sink failed: {what}',
    when: 'A process warning, once per run: `onMetric` threw or rejected. The run goes on.',
  },
  TH_STORE_FAILED: {
    message: 'the session store {store} {what}: {mend}',
    when: 'The medium of a session store failed: a full disk, a folder that cannot be written, a damaged file. What was appended before stays readable.',
  },
  TH_LEASE_LOST: {
    message:
      "the session '{session}' was taken over: lease {fence} is no longer the newest; nothing more was written, go on from its log by another run or by resume",
    when: 'An append, or a renewal, under a lease that another run has taken over since.',
  },
  TH_PROTOTYPE_ALTERED: {
    message: "a '{key}' stands on {where}: every promise would ask it what it resolves to; remove it",
    when: 'A step of a run finds a `then` on `Object.prototype`, `Array.prototype` or `Function.prototype`. Nothing is sent or run.',
  },
  TH_HOOKS_INVALID: {
    message: 'the hooks object is not valid: {what}',
    when: 'An unknown key, or a value that is no function, in a plain `Hooks` object.',
  },
  TH_COMPACTION_STUCK: {
    message: 'compaction made no progress twice in a row: {what}',
    when: 'The second failed attempt in a row of one run.',
  },
  TH_ROUTE_UNKNOWN: {
    message: 'the route gate {what}: {mend}',
    when: 'A route, tier or rule of the gate names a model that the agent lacks.',
  },
  TH_MODEL_UNREACHABLE: {
    message: '{endpoint} cannot be reached: {what}',
    when: 'The connection to a model endpoint failed.',
  },
  TH_MODEL_HTTP: {
    message: '{endpoint} answered {status}: {what}',
    when: 'A model endpoint answered with an error status. The error carries status and the redacted body.',
  },
  TH_MODEL_STREAM: {
    message: 'the stream of {endpoint} broke: {what}',
    when: 'A model stream ended before its answer was finished, or carried garbage.',
  },
  TH_MODEL_REQUEST: {
    message: 'the request cannot be put to {endpoint}: {what}',
    when: 'The dialect of a model cannot express a part of the request, or its provider options are not valid. Nothing was sent.',
  },
  TH_MODEL_INVALID: {
    message: "'{model}' is no model: {what}",
    when: 'A model string or an option of a model that is not valid.',
  },
  TH_MCP_FAILED: {
    message: "the MCP server '{server}' {what}",
    when: '`connectMcp`, or `refresh` of what it gave, could not start a server, reach it, or read its list of tools. `details.stderr` has the end of what a server process wrote there. Nothing of it is left running.',
  },
  TH_CONFIG_INVALID: {
    message: '{file}{at}: {what}',
    when: 'A file of settings (policy, personality, `treblehook.config`, the manifest of a plugin, a trust file) that is not valid. The message names file, line and mend.',
  },
  TH_MATCHES_NOTHING: {
    message: '{file}{at}: {what}',
    when: 'A glob of a policy or a personality that matches no tool, or a `when` pointer that is no argument of one, or a path in `when` that is not in its normal form; a budget of a handler that is not there; options of a tenant for an agent or a model that the host lacks. A warning of `createHost`; thrown with `strict: true`.',
  },
  TH_CALLS_CLEARED: {
    message: 'no policy: every call of {tools} is cleared; give a policy, or { rules: [] } if that is meant',
    when: 'A warning of `createHost`: a tool that may change something, no policy, and no other guard.',
  },
  TH_PLUGIN_SILENT: {
    message:
      "the plugin '{plugin}' is given, but the personality '{personality}' does not list it: it is silent; list it in personality.plugins",
    when: 'A warning of `createHost`.',
  },
  TH_PLUGIN_ABSENT: {
    message:
      "the personality '{personality}' of the agent '{agent}' lists the plugin '{plugin}', which has no handler and no tool: {mend}",
    when: 'A process warning, once per personality and plugin, as its first run begins: nothing in the registry is of the plugin. `createHost` refuses such a personality.',
  },
  TH_PLUGIN_FAILED: {
    message: "the plugin '{plugin}' failed and is left out: {what}",
    when: 'A warning of `createHost`; `cause` is what its setup threw, or why it was refused. With `strict: true` that is thrown instead.',
  },
  TH_PLUGIN_INVALID: {
    message: "the plugin '{plugin}' is not valid: {what}",
    when: 'A module whose default export is no plugin, a setup that returns something, a reload that would change hook points.',
  },
  TH_PLUGIN_TAKEN: {
    message: "the plugin '{plugin}' is found twice: {what}",
    when: 'Two folders hold a plugin of one id, or a package of one name, and they are not of one version. The message names both.',
  },
  TH_PLUGIN_TWICE: {
    message: "the plugin '{plugin}' is found twice, and is taken once: {what}",
    when: 'A warning of `readHostConfig`: the same version stands in two folders, or one plugin is named twice.',
  },
  TH_UNTRUSTED: {
    message: '{what} has no consent, and nothing of it was imported: {mend}',
    when: 'A config module, or a plugin that is named and listed, which nobody has consented to. The message has the command that grants it.',
  },
  TH_STALE: {
    message: '{what} is not what was consented to ({changed}), and nothing of it was imported: {mend}',
    when: 'A config module or a plugin whose bytes, version or settings changed after consent was given.',
  },
  TH_PLUGIN_SETUP_TIMEOUT: {
    message:
      "the setup of the plugin '{plugin}' did not end within {ms} ms: what it did is taken back, and its api is dead",
    when: 'A `setup` ran over `pluginTimes.setupMs`.',
  },
  TH_PLUGIN_UNDECLARED: {
    message: "the plugin '{plugin}' and its manifest disagree: {what}",
    when: 'A plugin with a manifest registers what the manifest does not declare, or less than it declares.',
  },
  TH_PLUGIN_FAULT: {
    message: "the plugin '{plugin}': {what}",
    when: 'A warning: a function given to `onDispose` threw or hung, or a setup failed behind its budget.',
  },
  TH_PLUGIN_SAID: {
    message: "the plugin '{plugin}' says: {what}",
    when: 'A warning: what a plugin told by `log.warn` or `log.error`, when `createHost` has no `onLog`.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof rows;

/** Every code with its template and its meaning. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = Object.freeze(rows);
