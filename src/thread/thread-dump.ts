/** What `Thread.dump` returns. The names of members are those of the thread dumps of the JDK, where there are such. */
import { rangeError, requireOptions } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"

/** All threads that the calling thread knows of, at one moment. */
export interface ThreadDump {
  /** The moment, in ISO 8601. */
  readonly time: string
  /** The groups of threads: first that without a parent, and each after its parent. */
  readonly threadContainers: readonly ThreadContainer[]
  /** Threads that wait for each other in a circle: the names, each waiting for the next, the last for the first. */
  readonly deadlocks: readonly (readonly string[])[]
}

/** The threads of a pool or of a scope, or those that belong to neither. */
export interface ThreadContainer {
  /** `<root>`, the name of a pool, or the name of a scope; different from that of every other group. */
  readonly container: string
  /** What the group is. */
  readonly kind: "root" | "pool" | "scope"
  /** The group to which the thread belongs that has opened the scope; null for the root. */
  readonly parent: string | null
  /** The name of the thread that has opened the scope; null for others. */
  readonly owner: string | null
  /** How many tasks of a pool wait in its queue. */
  readonly queued?: number
  /** The threads of the group. */
  readonly threads: readonly DumpedThread[]
  /** How many these are. */
  readonly threadCount: number
  /** The forks of a scope that have not stopped. */
  readonly forks?: readonly DumpedFork[]
}

/** One thread in a {@link ThreadDump}. */
export interface DumpedThread {
  /** Its `Thread.id`, if this thread knows it, otherwise a number that is negative. */
  readonly tid: number
  /** Its name. */
  readonly name: string
  /** Whether it is a virtual thread. */
  readonly virtual: boolean
  /**
   * `starting` before it runs; `idle` if it has no task; `waiting` if its task waits for something of corepool;
   * `blocked` if the whole thread sleeps in such a wait; otherwise `running`, also while it awaits what corepool does
   * not know, such as a request.
   */
  readonly state: "starting" | "idle" | "running" | "waiting" | "blocked"
  /** Whether an interrupt is pending. */
  readonly interrupted: boolean
  /** The name of the task that it runs. */
  readonly task?: string
  /** What it waits for. */
  readonly waitsFor?: readonly DumpedWait[]
}

/** What a thread waits for. */
export interface DumpedWait {
  /** The object, such as `ReentrantLock@1` or `FutureTask@3 (fib)`, or what is done, such as `sleep`. */
  readonly object: string
  /** The name of the thread that holds the lock, or that runs the task of the future, if that is known. */
  readonly owner?: string
}

/** A fork of a scope that has not stopped. */
export interface DumpedFork {
  /** The name of its function. */
  readonly task: string
  /** The name of the thread that runs it, if that is known. */
  readonly thread?: string
}

/** How `Thread.dump` is to write it. */
export interface ThreadDumpOptions {
  /** A text for people, the default, or an object for programs. */
  readonly format?: "text" | "json"
}

type Dumper = (format: "text" | "json") => string | ThreadDump

let dumper: Dumper | undefined

/** Dumps know pools, scopes and platform threads, which are above this folder. */
export function provideDumper(provided: Dumper): void {
  dumper = provided
}

export function dump(options: ThreadDumpOptions): string | ThreadDump {
  const { format = "text" } = requireOptions("options", options, { format: true })
  if (format !== "text" && format !== "json") throw rangeError("format", '"text" or "json"', format)
  if (dumper !== undefined) return dumper(format)
  throw new UnsupportedOperationError("corepool/virtual has no thread dumps: import Thread from corepool")
}
