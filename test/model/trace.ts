/** What the checker has to say: the two errors, and the trace of an execution in words. */
import { longOf } from "./long.ts"
import type { Operation } from "./operation.ts"

/** The check itself cannot be trusted: a body that cannot be replayed, a limit that was reached, a wrong call. */
export class ModelError extends Error {
  static {
    this.prototype.name = "ModelError"
  }
}

/**
 * - lost wake-up: nobody can go on, somebody has not finished
 * - assertion: a body threw
 * - invariant: the invariant does not hold between two steps
 * - final check: all have finished, and the result is wrong
 * - livelock: an execution has no end
 */
export type ViolationKind = "lost wake-up" | "assertion" | "invariant" | "final check" | "livelock"

/** A message does not tell more steps than this. A livelock has many, and all alike. */
const SHOWN = 100

/** An execution that goes wrong. The message tells the steps that lead there. */
export class ModelViolation extends Error {
  static {
    this.prototype.name = "ModelViolation"
  }

  readonly kind: ViolationKind
  readonly #trace: readonly string[]

  constructor(kind: ViolationKind, what: string, trace: readonly string[], cause?: unknown) {
    const steps = trace.map((line, at) => `${String(at + 1).padStart(4)}  ${line}`)
    if (steps.length > SHOWN) steps.splice(SHOWN / 2, steps.length - SHOWN, "      …")
    super([`${kind}: ${what}`, ...steps].join("\n"), cause === undefined ? undefined : { cause })
    this.kind = kind
    this.#trace = trace
  }

  /** One line for each step, in order. (No field: the message has it already when an error is printed.) */
  get trace(): readonly string[] {
    return this.#trace
  }
}

/** Something that happened in an execution. */
export interface Event {
  readonly thread: string
  readonly what: "step" | "sleeps" | "timed out" | "called" | "killed"
  readonly operation: Operation | undefined
  readonly result: number
  /** Whom a notify has woken. */
  readonly woken: readonly string[]
}

type NameOf = (address: number) => string

export function describe(event: Event, nameOf: NameOf): string {
  const { operation } = event
  if (event.what === "killed") return "is killed"
  if (operation === undefined) return `the event loop calls listener ${event.result}`
  if (event.what === "timed out") return `${describeOperation(operation, nameOf)}: timed out`
  if (event.what === "sleeps") return `${describeOperation(operation, nameOf)}: sleeps`
  const told = describeResult(event)
  return `${describeOperation(operation, nameOf)}${told === "" ? "" : ` → ${told}`}`
}

export function describeAll(events: readonly Event[], nameOf: NameOf): string[] {
  const width = Math.max(0, ...events.map((event) => event.thread.length))
  return events.map((event) => `${event.thread.padEnd(width)}  ${describe(event, nameOf)}`)
}

export function describeOperation({ code, address, a, b }: Operation, nameOf: NameOf): string {
  switch (code) {
    case "load":
    case "read":
    case "loadLong":
    case "notify":
      return `${code} ${nameOf(address)}`
    case "store":
    case "write":
    case "exchange":
    case "add":
      return `${code} ${nameOf(address)}, ${a}`
    case "compareAndSet":
      return `${code} ${nameOf(address)}, ${a}, ${b}`
    case "exchangeLong":
      return `${code} ${nameOf(address)}, ${longOf(a)}`
    case "compareAndSetLong":
      return `${code} ${nameOf(address)}, ${longOf(a)}, ${longOf(b)}`
    case "wait":
      return `wait ${nameOf(address)} while ${a}${b === Infinity ? "" : `, ${b} ms`}`
    case "listen":
      return `listen ${nameOf(address)} while ${a}`
    case "block":
      return `block ${a} ms`
    case "pause":
      return "pause"
  }
}

function describeResult({ operation, result, woken }: Event): string {
  switch (operation?.code) {
    case "load":
    case "read":
    case "exchange":
    case "add":
      return String(result)
    case "loadLong":
    case "exchangeLong":
      return String(longOf(result))
    case "compareAndSet":
    case "compareAndSetLong":
    case "listen":
      return result === 1 ? "true" : "false"
    case "wait":
      return "the value differs"
    case "notify":
      return woken.length === 0 ? "nobody" : woken.join(", ")
    default:
      return ""
  }
}
