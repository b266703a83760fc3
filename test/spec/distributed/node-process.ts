/** The program of a node in a process of its own, and how tests start it. */
import { Executors, platformThreads } from "corepool"
import { postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { ExecutorNode } from "#src/distributed/node/executor-node.js"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { QUEUE } from "./node-driver.ts"
import * as tasks from "./node-process-tasks.ts"

interface ProcessOptions {
  readonly url: string
  readonly schema: string
  readonly nodeName: string
}

const FILE = fileURLToPath(import.meta.url)

/** A short lock, as a test that kills a node waits for its end; but not so short that it ends on a machine that is busy with other things. */
const LOCK = 4000

export class NodeProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  /** The exit code, or the signal that has ended it. */
  readonly exit: Promise<number | string>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.exit = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string)
  }

  /** Is fulfilled when the node takes jobs. */
  static async start(options: ProcessOptions): Promise<NodeProcess> {
    const child = spawn(process.execPath, [FILE, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    })
    const started = new NodeProcess(child)
    const first = await Promise.race([once(child, "message"), started.exit])
    if (!Array.isArray(first)) throw new Error(`The node has ended with ${first} before it was ready`)
    return started
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Not by the child's own method: Deno takes for granted then that the signal has ended it. */
  kill(signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) process.kill(this.pid, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL")
    await this.exit
  }
}

async function main(options: ProcessOptions): Promise<void> {
  const { url, schema, nodeName } = options
  const executor = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 50 }))
  const engine = postgres({ url, schema })
  await ExecutorNode.start({ name: QUEUE, engine, tasks, executor, nodeName, lockDuration: LOCK, signals: ["SIGTERM"] })
  process.send?.("ready")
  process.channel?.unref()
}

if (process.argv[1] === FILE) await main(JSON.parse(process.argv[2] ?? "") as ProcessOptions)
