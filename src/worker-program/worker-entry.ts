/**
 * Where a worker thread begins: the entry point `corepool/worker`. A program that is bundled can bundle this as a
 * second entry point and have threads started from it, by `platformThreads({ workerFactory })`.
 */
import { enter } from "./worker-program.ts"

enter()
