/**
 * Tells other threads what this one does, as far as only the thread itself can know: whether it sleeps. To be imported
 * before corepool, which takes what it needs from `Atomics` when it is loaded.
 *
 * A thread that blocks announces on its park word that it is going to sleep, looks whether there is a reason not to, and
 * sleeps; from the outside that cannot be told from a thread that has found one and goes on. So the sleep itself is
 * counted, when it begins and when it is over. A thread that awaits does not sleep, but it begins to listen anew whenever
 * it was rung: that is counted too.
 */
import { add, sharedWords } from "#src/memory/atomics.js"
