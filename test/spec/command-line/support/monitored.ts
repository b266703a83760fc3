/** A program with a monitor and a pool, until its standard input ends. */
import { Executors, virtualThreads } from "corepool"
import { startMonitor } from "corepool/monitor"

await using pool = Executors.newFixedThreadPool(2, virtualThreads())
for (let i = 0; i < 3; i++) await pool.submit(() => i)
await using monitor = await startMonitor({ pools: { "working\u001b[31m": pool } })
console.log(monitor.url)
for await (const _ of process.stdin);
