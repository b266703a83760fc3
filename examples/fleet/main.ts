/**
 * `npm run fleet`: PostgreSQL from npm, three nodes, sixty tasks, and one node is killed in the midst of them. Everything is on this machine,
 * but each node is a process of its own, and could be anywhere.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { DistributedExecutor, migrate, postgres } from "corepool/distributed"
import { startPostgres } from "../../tools/servers/postgres.ts"
import * as tasks from "./tasks.ts"

const PAGES = 60
const NODES = ["node-1", "node-2", "node-3"]
const VICTIM = "node-2"

const begin = performance.now()

function say(text: string): void {
  console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

function startNode(name: string, url: string): ChildProcess {
  const program = fileURLToPath(new URL("node.js", import.meta.url))
  return spawn(process.execPath, [...process.execArgv, program], {
    env: { ...process.env, DATABASE_URL: url, NODE_NAME: name },
    stdio: "inherit",
  })
}

await using server = await startPostgres()
const engine = postgres(server.url)
await migrate(engine) // makes the tables, once
say(`PostgreSQL listens on port ${server.port}; the tables are there`)

await using fleet = new DistributedExecutor({ name: "pages", engine, tasks })
const pages = Array.from({ length: PAGES }, (_, i) => fleet.submit(tasks.render, i + 1))
await Promise.all(pages.map((page) => page.stored))
say(`${PAGES} tasks are stored. No node runs yet; from here on they would survive the end of this program`)

const nodes = new Map(NODES.map((name) => [name, startNode(name, server.url)]))
await pages[0]
for (const { name, pid, concurrency } of await fleet.nodes())
  say(`${name} (process ${pid}) runs ${concurrency} tasks at a time`)

await Promise.all(pages.slice(0, 20))
nodes.get(VICTIM)?.kill("SIGKILL")
say(`20 pages are done. kill -9 ${VICTIM}, in the midst of what it runs`)

const done = await Promise.all(pages)
const again = done.filter(({ deaths }) => deaths > 0)
for (const { number, by } of again) say(`page ${number} was in the hands of ${VICTIM}; ${by} has run it again`)
for (const name of NODES) say(`${name} has rendered ${done.filter(({ by }) => by === name).length} pages`)

const numbers = new Set(done.map(({ number }) => number))
say(`${done.length} results for ${PAGES} tasks, ${PAGES - numbers.size} lost`)
if (numbers.size !== PAGES) process.exitCode = 1

await fleet.close()
for (const [name, node] of nodes) {
  if (name === VICTIM) continue
  node.kill("SIGTERM") // drains: what it runs comes to its end
  await once(node, "exit")
}
say("The other nodes have drained and ended")
