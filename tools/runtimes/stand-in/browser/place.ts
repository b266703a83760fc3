/**
 * What the stand-in for node:test needs of a page, or of a worker in which a test file runs: see ../place.ts.
 *
 * A line is sent before the call returns, as a process writes it to a file: whatever becomes of the page, it is there.
 */
import type { Line } from "../../results.ts"

interface Request {
  open(method: string, url: string, isAsynchronous: boolean): void
  send(body: string): void
  readonly status: number
}

interface Scope {
  readonly XMLHttpRequest: new () => Request
  readonly location: { readonly href: string }
  addEventListener(type: string, listener: (event: Uncaught) => void): void
}

interface Uncaught {
  readonly error?: unknown
  readonly reason?: unknown
  readonly message?: string
  preventDefault(): void
}

const scope = globalThis as unknown as Scope
const { XMLHttpRequest } = scope
const { searchParams } = new URL(scope.location.href)
const results = `/results?run=${searchParams.get("run")}`

export const { setTimeout, clearTimeout } = globalThis

export const TIME_LIMIT = Number(searchParams.get("limit") ?? 120_000)

export function write(line: Line): void {
  const request = new XMLHttpRequest()
  request.open("POST", results, false)
  request.send(`${JSON.stringify(line)}\n`)
}

const turns = new MessageChannel()
const waiting: (() => void)[] = []
turns.port1.addEventListener("message", () => waiting.shift()?.())
turns.port1.start()

/** After one turn of the event loop. */
export function setImmediate(call: () => void): void {
  waiting.push(call)
  turns.port2.postMessage(undefined)
}

/** Calls it with every error that no code has caught. */
export function onUncaught(call: (error: unknown) => void): void {
  scope.addEventListener("error", (event) => {
    event.preventDefault()
    call(event.error ?? new Error(event.message))
  })
  scope.addEventListener("unhandledrejection", (event) => {
    event.preventDefault()
    call(event.reason)
  })
}

/** Called when all modules are loaded. */
export function loaded(): void {
  begin()
}

let begin: () => void = () => undefined

/** Calls it when all modules are loaded, and with them all tests known. */
export function onLoad(call: () => void): void {
  begin = call
}

let end: () => void = () => undefined

/** Calls it when nothing can follow any more. */
export function onEnd(call: () => void): void {
  end = call
}

/** Nothing is left to run. A page does not end by itself: the runner ends it. */
export function rest(): void {
  end()
}

/** Ends at once. */
export function quit(): void {
  end()
}
