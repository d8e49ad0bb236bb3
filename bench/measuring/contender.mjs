// Owns what a contender is.

/**
 * @typedef {object} Contender
 * One way to do what a question asks.
 * @property {() => unknown} run one operation; what it returns is awaited when it is a promise
 * @property {() => unknown} check runs the operation and throws unless it did the work and gave the right result
 * @property {boolean} [waits] false: the promise is made and not awaited
 */

/**
 * @typedef {object} Whole
 * Something that is done as a whole, such as an import; not repeated in a loop.
 * @property {() => number | Promise<number>} value one value, in the unit of the question; throws when it went wrong
 * @property {number} [repeats] how often at least; absent: once, for a second time in one process would not be the same
 */

export {};
