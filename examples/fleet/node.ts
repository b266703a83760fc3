/**
 * A machine of the fleet: a process that takes tasks and runs them on its threads. It needs to know nothing but the queue.
 *
 *     DATABASE_URL=postgres://… NODE_NAME=node-1 node node.js
 */
import { Executors } from "corepool"
import { ExecutorNode, postgres } from "corepool/distributed"
import * as tasks from "./tasks.ts"

await using threads = Executors.newFixedThreadPool(2)
await using node = await ExecutorNode.start({
  name: "pages",
  engine: postgres(process.env["DATABASE_URL"] ?? ""),
  tasks,
  executor: threads,
  nodeName: process.env["NODE_NAME"] ?? "node",
  lockDuration: 2000, // a dead node is noticed so soon; in earnest the default is better
  signals: ["SIGTERM"],
})
await node.awaitTermination()
