/** Starts a monitor, and has nothing to do any more when its standard input has ended. */
import { startMonitor } from "corepool/monitor"

const { port, token } = await startMonitor()
console.log(JSON.stringify({ port, token }))
for await (const _ of process.stdin);
