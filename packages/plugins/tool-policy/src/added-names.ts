/** Whether names were added to the shared prototypes: libraries and `node:path` believe in clean ones. */

const names = (): number => Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length;
const namesAtFirst = names();

export const hasAddedNames = (): boolean => names() !== namesAtFirst;
export const addedNames = 'names were added to Object.prototype';
