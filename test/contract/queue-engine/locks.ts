/** Whose a job is: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { DONE, type EngineKind, Lab, order } from "./kind.ts"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

export function locks({ open, inAnotherProcess }: EngineKind): void {
  test("[QE17] a job that takes longer than its lock lasts stays its node's", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    let runs = 0
    let isLost = false
    for (const node of ["first", "second"]) {
      await lab.consume(
        async ({ lost }) => {
          runs++
          await new Promise((resolve) => setTimeout(resolve, 2500))
          isLost ||= lost.aborted
          return DONE
        },
        { lockDuration: 1000, node },
      )
    }
    await queue.add([order("x")])
    await log.hears("completed", "x")
    assert.deepEqual([runs, isLost], [1, false])
  })

  if (inAnotherProcess === undefined) return

  test("[QE18] the job of a node that was killed is taken by another, which knows of the death", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await queue.add([order("x", { attempts: 2 })])
    await using node = new NodeProcess(await inAnotherProcess(), lab.queueName)
    await log.hears("active", "x")
    await node.kill()
    const seen: unknown[] = []
    await lab.consume(
      ({ id, deaths, failures }) => {
        seen.push([id, deaths, failures])
        return DONE
      },
      { lockDuration: 1000 },
    )
    await log.hears("completed", "x")
    assert.deepEqual(seen, [["x", 1, 0]])
  })

  test("[QE19] a node whose event loop stood still loses its job: it is told, and what it reports is refused", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await queue.add([order("x")])
    await using node = new NodeProcess(await inAnotherProcess(), lab.queueName)
    await log.hears("active", "x")
    node.stop()
    await lab.consume(({ deaths }) => ({ kind: "completed", outcome: `second node, ${deaths}` }), {
      lockDuration: 1000,
    })
    await log.hears("completed", "x")
    node.goOn()
    assert.equal(await node.said(), "lost\n")
    assert.deepEqual(log.of("completed"), [{ kind: "completed", id: "x", text: "second node, 1" }])
    assert.equal((await queue.find(["x"]))[0]?.outcome, "second node, 1")
  })
}

/** A node in a process of its own. It takes one job, and says when it has lost it; then it reports an end for it all the same. */
class NodeProcess implements AsyncDisposable {
  readonly #folder: string
  readonly #child: ChildProcess
  #said = ""

  constructor(engine: string, queue: string) {
    this.#folder = mkdtempSync(join(HOME, "build/program-"))
    const file = join(this.#folder, "node.mjs")
    writeFileSync(file, programOf(engine, queue))
    this.#child = spawn(process.execPath, [file], {
      cwd: HOME,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#said += text))
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }

  stop(): void {
    this.#child.kill("SIGSTOP")
  }

  goOn(): void {
    this.#child.kill("SIGCONT")
  }

  /** What it has printed, when it has ended. */
  async said(): Promise<string> {
    await once(this.#child, "close")
    return this.#said
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill()
    rmSync(this.#folder, { recursive: true })
  }
}

function programOf(engine: string, queue: string): string {
  return `
    const engine = await (${engine})
    const queue = await engine.open(${JSON.stringify(queue)}, "node")
    const consumer = await queue.consume({
      node: "child", concurrency: 1, lockDuration: 1000,
      run: ({ lost }) => new Promise((resolve) => lost.addEventListener("abort", () => {
        process.stdout.write("lost\\n")
        resolve({ kind: "completed", outcome: "first node" })
        void finish()
      })),
    })
    async function finish() {
      await consumer.drain()
      await queue.close()
    }
  `
}
