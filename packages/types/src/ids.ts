/** Ids: what plugins and handlers may be called. */

const pluginIdForm = /^[a-z][a-z0-9-]*$/;
const handlerIdForm = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;
/** No plugin is called so: the owner of the host's handlers, and words that stand for more than one plugin. */
export const reservedIds: readonly string[] = Object.freeze(['host', 'core', 'hooks', 'all']);

export const isPluginId = (id: unknown): id is string =>
  typeof id === 'string' && pluginIdForm.test(id) && !reservedIds.includes(id);

/** The local id of a handler, which is the full one of a handler of the host. */
export const isHandlerId = (id: unknown): id is string => typeof id === 'string' && handlerIdForm.test(id);
