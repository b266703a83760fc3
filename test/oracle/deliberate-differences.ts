/**
 * Where corepool differs from the JDK on purpose: the whole list. The replayer translates a recording with these rows
 * into what corepool must show, and then demands exactly that; whatever else differs is a failure. So a row does not
 * merely tolerate its difference, it requires it.
 *
 * Rows are applied in this order, each to what the one before it left. All but the last two speak in the JDK's terms,
 * which those turn into ours.
 */
import type { Call, Facts, Fate } from "./history.ts"
import type { Json, JsonObject } from "./json.ts"
import type { LockFacts } from "./lock-history.ts"

/** What a row can speak about. */
interface Subjects {
  /** What the driver's own op did. */
  result: { readonly value: JsonObject; readonly facts: Facts }
  /** An entry of `futures`. */
  future: { readonly task: string; readonly state: Json; readonly facts: Facts }
  /**
   * Who waits and who has got an answer; `completed` is undefined where the recording does not tell what it must be.
   */
  callers: {
    readonly blocked: readonly string[]
    readonly completed: readonly JsonObject[] | undefined
    readonly facts: Facts
  }
  /** `"a1:writeLock"` of who was refused to block: the JDK refuses nobody. Only for threads that block. */
  refusals: { readonly refused: readonly string[]; readonly waits: LockFacts }
  /** What an ExecutorCompletionService hands out, and whether the JDK's would have done so. */
  completion: { readonly droppedByPool: boolean; readonly inJava: boolean }
  /** What any op did, the driver's or an actor's: `{}`, `{"returned"}` or `{"thrown"}`. */
  outcome: JsonObject
}

interface Rule<S> {
  /** Whether the row speaks about this. */
  readonly applies: (subject: S) => boolean
  /** What must be seen here instead. */
  readonly instead: (subject: S) => S
}

export interface DeliberateDifference {
  readonly id: string
  /** What the JDK does. */
  readonly java: string
  /** What corepool does. */
  readonly here: string
  readonly rules: { readonly [K in keyof Subjects]?: Rule<Subjects[K]> }
}

/** Java's exceptions and the classes that stand for them here. */
const classes: ReadonlyMap<Json | undefined, string> = new Map([
  ["BrokenBarrierException", "BrokenBarrierError"],
  ["CancellationException", "CancellationError"],
  ["ClassCastException", "TypeError"],
  ["Error", "OwnError"],
  ["IllegalArgumentException", "RangeError"],
  ["IllegalMonitorStateException", "IllegalMonitorStateError"],
  ["IllegalStateException", "IllegalStateError"],
  ["InterruptedException", "InterruptedError"],
  ["NoSuchElementException", "NoSuchElementError"],
  ["NullPointerException", "TypeError"],
  ["RejectedExecutionException", "RejectedExecutionError"],
  ["RuntimeException", "OwnError"],
  ["StackOverflowError", "RangeError: Maximum call stack size exceeded"],
  ["TimeoutException", "TimeoutError"],
  ["UnsupportedOperationException", "UnsupportedOperationError"],
])

/** The exception that Java would have thrown for an error of ours. */
export function javaNameOf(errorClass: string): string | undefined {
  for (const [java, here] of classes) if (here === errorClass) return String(java)
  return undefined
}

const fateOf = ({ op, abandonedBefore }: Facts) =>
  typeof op["task"] === "string" ? abandonedBefore.get(op["task"]) : undefined

export const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    id: "abandoned-future",
    java:
      "The future of a submitted task stays pending for ever if the task is dropped by DiscardPolicy, DiscardOldestPolicy or " +
      "CallerRunsPolicy after shutdown, is returned by shutdownNow, or never runs because beforeExecute threw.",
    here:
      "It is cancelled, or, if beforeExecute threw, fails with the hook's error. So get does not wait, and a later cancel " +
      "returns false.",
    rules: {
      future: {
        applies: ({ task, facts }) => facts.abandoned.has(task),
        instead: (future) => ({ ...future, state: future.facts.abandoned.get(future.task) ?? future.state }),
      },
      result: {
        applies: ({ facts }) => fateOf(facts) !== undefined && ["cancel", "get"].includes(String(facts.op["do"])),
        instead: ({ facts }) => ({
          value: facts.op["do"] === "cancel" ? { returned: false } : got(fateOf(facts)),
          facts,
        }),
      },
    },
  },
  {
    id: "released-caller",
    java: "invokeAll and invokeAny wait for ever for a task of theirs that shutdownNow returned.",
    here: "They are released with it: invokeAll gives its future as cancelled, invokeAny takes it for a failure.",
    rules: {
      callers: {
        applies: ({ facts }) => facts.stuck.size > 0,
        instead: ({ blocked, completed = [], facts }) => {
          const { stuck, newlyStuck, ends } = facts
          const others = completed.filter(({ by }) => !stuck.has(String(by)))
          const early = [...newlyStuck].map(([by, call]) => answer(by, call, ends))
          return {
            blocked: blocked.filter((entry) => !stuck.has(entry.slice(0, entry.indexOf(":")))),
            completed: early.every((entry) => entry !== undefined) ? byActor([...others, ...early]) : undefined,
            facts,
          }
        },
      },
    },
  },
  {
    id: "dropped-completion",
    java: "An ExecutorCompletionService never delivers a task that shutdownNow returned.",
    here: "It delivers the task as cancelled, so that a consumer does not wait in vain.",
    rules: {
      completion: {
        applies: ({ droppedByPool }) => droppedByPool,
        instead: (completion) => ({ ...completion, inJava: false }),
      },
    },
  },
  {
    id: "refused-deadlock",
    java: "A thread that holds the read lock of a ReentrantReadWriteLock and calls writeLock().lock() waits for itself for ever.",
    here: "writeLock.lockSync() throws an IllegalStateError instead. Awaited, writeLock.lock() waits as in Java.",
    rules: {
      refusals: {
        applies: ({ waits }) => waits.waitsForItself !== undefined,
        instead: ({ refused, waits }) => ({ refused: [...refused, ...[waits.waitsForItself ?? []].flat()], waits }),
      },
    },
  },
  {
    id: "own-error",
    java: "get and invokeAny throw an ExecutionException whose cause is the task's exception.",
    here: "They reject with the task's own error.",
    rules: {
      outcome: {
        applies: ({ thrown }) => thrown === "ExecutionException",
        instead: ({ thrown: _, cause, ...rest }) => ({ ...rest, thrown: "RuntimeException", message: cause }),
      },
    },
  },
  {
    id: "error-names",
    java: "Exceptions are named …Exception; wrong arguments are IllegalArgumentException, NullPointerException or ClassCastException.",
    here: "Errors are named …Error; wrong arguments are RangeError or TypeError.",
    rules: {
      outcome: {
        applies: ({ thrown }) => classes.has(thrown),
        instead: (outcome) => ({ ...outcome, thrown: classes.get(outcome["thrown"]) }),
      },
    },
  },
]

/** What get gives on an abandoned future, in the JDK's terms. */
function got(fate: Fate | undefined): JsonObject {
  return fate === "cancelled"
    ? { thrown: "CancellationException" }
    : { thrown: "ExecutionException", cause: "beforeExecute" }
}

/** The answer that a stuck call gets here; undefined if the recording does not tell, or leaves a choice. */
function answer(by: string, { what, tasks }: Call, ends: Facts["ends"]): JsonObject | undefined {
  if (what !== "invokeAll" || ends === undefined) return undefined
  return { by, do: what, returned: tasks.map((task) => ending(task, ends.get(task))) }
}

function ending(task: string, how: string | undefined): JsonObject {
  if (how === undefined) return { task, state: "cancelled" }
  if (how === "returned") return { task, state: "done:ok", value: task }
  return { task, state: "done:failed", cause: how === "threw" ? task : `${task} ${how}` }
}

function byActor(entries: readonly JsonObject[]): JsonObject[] {
  return entries.toSorted((a, b) => (String(a["by"]) < String(b["by"]) ? -1 : 1))
}

/** Leads a subject through all rows. */
export function translate<K extends keyof Subjects>(kind: K, subject: Subjects[K]): Subjects[K] {
  let here = subject
  for (const { rules } of deliberateDifferences) {
    const rule: Rule<Subjects[K]> | undefined = rules[kind]
    if (rule?.applies(here) === true) here = rule.instead(here)
  }
  return here
}
