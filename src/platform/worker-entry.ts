/**
 * Where a worker thread begins: the entry point `corepool/worker`. A program that is bundled can bundle this as a second
 * entry point and have threads started from it, by `platformThreads({ workerFactory })`.
 */
import { isMainThread, workerData } from "node:worker_threads"
import { work } from "./worker-main.ts"
import { requireOrders } from "./worker-orders.ts"

// Tools that look what a package exports load this too. That is no thread.
if (!isMainThread) void work(requireOrders(workerData))
