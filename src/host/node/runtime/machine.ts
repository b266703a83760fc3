/** The machine on which the program runs. */

/** How many threads can run at the same time. With one, no other thread makes progress while this one spins. */
export { availableParallelism } from "node:os"
