/**
 * What the tasks of suites "threadpool" and "invoke" do: one body for all kinds of threads. What it meets where it runs
 * differs, and stands in the wings.
 */
import { Thread } from "corepool"
import { OwnError } from "../results.ts"

/** A task as plain data, which another thread can be told. */
export interface Part {
  readonly name: string
  /** Where it stands among all tasks of the scenario. */
  readonly number: number
  /** `return` and `throw` end at once, `gate` waits for a word. */
  readonly body: string
  /** Whether it goes on waiting when it is interrupted. */
  readonly uninterruptible: boolean
  /** The tasks that it gives to the pool when it runs. */
  readonly spawns: readonly Part[]
  /** What it returns; undefined if that is its name. */
  readonly result?: { readonly value: unknown }
}

export type Word = "release" | "fail"
export type Ending = "returned" | "threw" | "interrupted" | "caller"

export interface Wings {
  /** Whether the thread belongs to the pool. The driver's does not. */
  isPoolThread(thread: Thread): boolean
  started(part: Part): void
  ended(part: Part, how: Ending): void
  /** Gives a task to the pool. */
  execute(part: Part): void
  /**
   * Waits at the gate of the task until it is told a word, or interrupted, if the task can be. The first word counts, and
   * a word told before the task came stays.
   */
  pass(part: Part): Word | "interrupted" | Promise<Word | "interrupted">
}

/** Threads inside a task. */
const occupied = new WeakSet<Thread>()

/** The body of every task. One that runs on the driver, or inside of another task, returns at once. */
export function play(part: Part, wings: Wings): unknown {
  const thread = Thread.currentThread()
  const isCalledDirectly = !wings.isPoolThread(thread) || occupied.has(thread)
  wings.started(part)
  if (isCalledDirectly) {
    wings.ended(part, "caller")
    return valueOf(part)
  }
  occupied.add(thread)
  let goesOn = false
  try {
    for (const child of part.spawns) spawn(child, part, wings)
    const word = hear(part, wings)
    if (!(word instanceof Promise)) return obey(word, part, wings)
    goesOn = true
    return word.then((heard) => obey(heard, part, wings)).finally(() => occupied.delete(thread))
  } finally {
    if (!goesOn) occupied.delete(thread)
  }
}

function spawn(child: Part, parent: Part, wings: Wings): void {
  try {
    wings.execute(child)
  } catch (error) {
    wings.ended(parent, "threw")
    throw error
  }
}

function hear(part: Part, wings: Wings): ReturnType<Wings["pass"]> {
  if (part.body === "gate") return wings.pass(part)
  return part.body === "return" ? "release" : "fail"
}

function obey(word: Word | "interrupted", part: Part, wings: Wings): unknown {
  switch (word) {
    case "release":
      wings.ended(part, "returned")
      return valueOf(part)
    case "fail":
      wings.ended(part, "threw")
      throw new OwnError(part.name)
    case "interrupted":
      wings.ended(part, "interrupted")
      throw new OwnError(`${part.name} interrupted`)
  }
}

function valueOf({ name, result }: Part): unknown {
  return result === undefined ? name : result.value
}
