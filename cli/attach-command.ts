/** `corepool monitor` and `corepool top`: attach to a running process that has started a monitor. */
import type { Frame } from "#src/monitor/wire.js"
import type { Command } from "commander"
import { setTimeout as sleep } from "node:timers/promises"
import { type Attachable, attachableOf } from "./attachable.ts"
import { UsageError } from "./process.ts"
import { topTable } from "./top-table.ts"

const HOW = `
A process can be attached to if it has called startMonitor() of corepool/monitor.
Without a number, the command takes the only such process of this user.
`

/** From the terminal's normal screen to another one, and back; the cursor hidden meanwhile. */
const ENTER = "\u001b[?1049h\u001b[?25l"
const LEAVE = "\u001b[?25h\u001b[?1049l"
const REDRAW = "\u001b[H"
const CLEAR_LINE = "\u001b[K"
const CLEAR_BELOW = "\u001b[J"

export function addAttachCommands(program: Command): void {
  program
    .command("monitor")
    .summary("show the address of a process's monitor")
    .description("Prints the address of the page that shows what a process does.")
    .argument("[pid]", "the number of the process")
    .addHelpText("after", HOW)
    .action((pid: string | undefined) => {
      const { address, token } = attachableOf(pid)
      process.stdout.write(`${address}#token=${token}\n`)
    })
  program
    .command("top")
    .summary("show the pools of a process in the terminal")
    .description("Shows the pools of a process, again each second on a terminal, once in a pipe.")
    .argument("[pid]", "the number of the process")
    .option("--once", "show them once")
    .option("--json", "as JSON; implies --once")
    .addHelpText("after", HOW)
    .action(async (pid: string | undefined, options: { readonly once?: true; readonly json?: true }) => {
      const target = attachableOf(pid)
      if (options.json === true) process.stdout.write(`${JSON.stringify(await snapshot(target))}\n`)
      else if (options.once === true || !process.stdout.isTTY)
        process.stdout.write(`${topTable(await snapshot(target), undefined, process.stdout.columns)}\n`)
      else await follow(target)
    })
}

async function get({ pid, address, token }: Attachable, path: string): Promise<Response> {
  try {
    const response = await fetch(new URL(path, address), { headers: { Authorization: `Bearer ${token}` } })
    if (response.ok) return response
    throw new UsageError(`The monitor of process ${pid} answers: ${(await response.text()).trim()}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The monitor of process ${pid} does not answer`)
  }
}

async function snapshot(target: Attachable): Promise<Frame> {
  return (await (await get(target, "snapshot")).json()) as Frame
}

/** Until Ctrl-C, `q`, or the end of the process. */
async function follow(target: Attachable): Promise<void> {
  const { stdin, stdout } = process
  const ending = new AbortController()
  const end = (): void => ending.abort()
  process.once("SIGINT", end)
  process.once("SIGTERM", end)
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.on("data", (keys: Buffer) => {
      if (keys.includes("q") || keys.includes("\u0003")) end()
    })
  }
  stdout.write(ENTER)
  let before: Frame | undefined
  try {
    while (!ending.signal.aborted) {
      const frame = await snapshot(target)
      // A terminal that does not know its size says 0.
      const lines = topTable(frame, before, stdout.columns > 0 ? stdout.columns : undefined).split("\n")
      const room = stdout.rows > 1 ? stdout.rows - 1 : Infinity
      if (lines.length > room) lines.splice(room - 1, Infinity, `… ${lines.length - room + 1} more lines`)
      stdout.write(`${REDRAW}${lines.map((line) => `${line}${CLEAR_LINE}`).join("\n")}${CLEAR_BELOW}`)
      before = frame
      await sleep(1000, undefined, { signal: ending.signal }).catch(() => undefined) // which the loop asks about
    }
  } finally {
    stdout.write(LEAVE)
    if (stdin.isTTY) stdin.setRawMode(false)
  }
}
