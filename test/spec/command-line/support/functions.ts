/** What the tests of the command line call in its threads. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

export default function shout(text: string): string {
  return text.toUpperCase()
}

export function square(n: number): number {
  return n * n
}

export function add(...numbers: unknown[]): number {
  return numbers.reduce((sum: number, n) => sum + Number(n), 0)
}

export async function later(text: string): Promise<string> {
  await sleep(1)
  return `later ${text}`
}

export function failing(text: string): string {
  if (text.startsWith("bad")) throw new RangeError(`refused ${text}`)
  return text
}

const HOSTILE: Readonly<Record<string, () => unknown>> = {
  string: () => throwing("just text"),
  undefined: () => throwing(undefined),
  getter: () =>
    throwing(
      Object.defineProperty({}, "message", {
        get() {
          throw new Error("hidden")
        },
      }),
    ),
  bigint: () => 10n,
  circular: () => {
    const value: Record<string, unknown> = {}
    return (value["self"] = value)
  },
  fine: () => "fine",
}

function throwing(value: unknown): never {
  throw value
}

export function hostile(kind: string): unknown {
  return HOSTILE[kind]?.()
}

export function dying(n: number): number {
  if (n === 700) process.exit(3)
  return n
}

export function endless(text: string): string {
  if (text === "endless") for (;;);
  return text
}

/** Fails until it has been called `times` times with this file; the file has a line for each call. */
export function unsteady(input: string): string {
  const [file = "", times = "0"] = input.split(" ")
  const calls = existsSync(file) ? readFileSync(file, "utf8").length : 0
  appendFileSync(file, ".")
  if (calls + 1 < Number(times)) throw new Error(`call ${calls + 1}`)
  return `call ${calls + 1}`
}

/** Notes its call, then waits until the file `gate` is there. */
export async function gated(input: string): Promise<string> {
  const [name = "", gate = "", log = ""] = input.split(" ")
  appendFileSync(log, `${name}\n`)
  while (!existsSync(gate)) await sleep(1)
  return name
}

export const notAFunction = 5
