/** `corepool node`: takes jobs of a distributed executor from its engine and runs them on this machine, until a signal ends it. */
import type { Command } from "commander"
import { Executors } from "corepool"
import type { Engine, ExecutorNode, TaskCatalogue } from "corepool/distributed"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { UsageError } from "./process.ts"
import { parseJobs, parseTimeLimit, type TimeLimit } from "./values.ts"

interface NodeOptions {
  readonly name: string
  readonly postgres?: string
  readonly redis?: string
  readonly jobs: number
  readonly migrate?: true
  readonly nodeName?: string
  readonly drain?: TimeLimit
}

const EXAMPLES = `
The module exports the tasks. The URL of the engine may stand in COREPOOL_POSTGRES_URL or COREPOOL_REDIS_URL,
where other users of the machine cannot see its password.
SIGTERM or Ctrl-C lets the jobs that run finish, and takes no more.

Example:
  corepool node ./tasks.js --name images --postgres postgres://localhost/app --jobs 8
`

export function addNodeCommand(program: Command): void {
  program
    .command("node")
    .summary("run jobs of a distributed executor")
    .description("Runs jobs of a distributed executor on this machine.")
    .argument("<module>", "the module that exports the tasks")
    .requiredOption("--name <name>", "the name of the executor")
    .option("--postgres <url>", "the engine is this PostgreSQL database")
    .option("--redis <url>", "the engine is this Redis or Valkey server")
    .option("-j, --jobs <n>", "threads: N, +N, -N or N% of the processors", parseJobs, availableParallelism())
    .option("--migrate", "make the tables of the engine, if they are missing (PostgreSQL)")
    .option("--node-name <name>", "the name of this node in lists and messages")
    .option(
      "--drain <time>",
      "how long running jobs may take after a signal; default: as long as they need",
      parseTimeLimit,
    )
    .addHelpText("after", EXAMPLES)
    .action(async (module: string, options: NodeOptions) => {
      await run(module, options)
    })
}

async function run(module: string, options: NodeOptions): Promise<void> {
  const file = resolve(module)
  if (!existsSync(file)) throw new UsageError(`There is no module ${module}`)
  const { drain } = options
  if (drain !== undefined && !("ms" in drain)) throw new UsageError("--drain: expected a time such as 30s")
  const { ExecutorNode } = await import("corepool/distributed")
  const engine = await engineOf(options)
  const tasks = (await import(pathToFileURL(file).href)) as TaskCatalogue
  await using executor = Executors.newFixedThreadPool(options.jobs)
  const { name, nodeName } = options
  const node = await ExecutorNode.start({
    name,
    engine,
    tasks,
    executor,
    ...(nodeName === undefined ? {} : { nodeName }),
  })
  report(node, "running", { engine: String(engine), threads: options.jobs })
  node.shutdownOnSignals(drain === undefined ? {} : { timeout: drain.ms })
  await node.awaitTermination()
  report(node, "closed", {})
}

/** A line of JSON on the standard error stream, for logs. */
function report(node: ExecutorNode, event: string, more: object): void {
  const line = { time: new Date().toISOString(), event, executor: node.name, node: node.nodeName, ...more }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

async function engineOf(options: NodeOptions): Promise<Engine> {
  const { postgres, redis } = await import("corepool/distributed")
  const database = options.postgres ?? (options.redis === undefined ? variable("COREPOOL_POSTGRES_URL") : undefined)
  const server = options.redis ?? variable("COREPOOL_REDIS_URL")
  if (options.postgres !== undefined && options.redis !== undefined) {
    throw new UsageError("--postgres and --redis exclude each other")
  }
  if (database !== undefined) return postgres({ url: database, migrate: options.migrate === true })
  if (server !== undefined) return redis(server)
  throw new UsageError("Expected --postgres or --redis with the URL of the engine, or it in the environment")
}

/** A variable of the environment; one that is empty counts as absent. */
function variable(name: string): string | undefined {
  const value = process.env[name]
  return value === "" ? undefined : value
}
