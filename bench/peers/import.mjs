// Owns the way to a peer: a module here finds what is installed here, which the packages of the workspace do not see.

/**
 * @param {string} name
 * @returns {Promise<any>}
 */
export const importPeer = (name) => import(name);
