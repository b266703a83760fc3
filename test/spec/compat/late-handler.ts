/** A module whose function is there later. */
const later: Promise<(n: number) => number> = new Promise((resolve) => setImmediate(() => resolve((n) => n + 1)))
export default later
