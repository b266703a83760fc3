/** Where a worker thread begins. */
import { workerData } from "node:worker_threads"
import type { Orders } from "./thread-body.ts"
import { work } from "./worker-main.ts"

await work(workerData as Orders)
