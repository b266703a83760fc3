/** Where browsers differ from Node, as data: see ../differences.ts. */
import type { Difference, Omission } from "../differences.ts"
import { BROWSERS } from "./browsers.ts"
import { OF_EXECUTORS } from "./executor-differences.ts"

/** What was not tried in browsers until now, or fails there for reasons that are not known yet. */
const NOT_GONE_THROUGH = [
  "test/architecture.test.ts",
  "test/model/",
  "test/oracle/",
  "test/peers/",
  "test/property/",
  "test/tools/",
  "test/spec/browser/",
  "test/spec/command-line/",
  "test/spec/compat/",
  "test/spec/distributed/",
  "test/spec/events/",
  "test/spec/monitor/",
  "test/spec/otel/",
  "test/spec/parallel/",
  "test/spec/peers/",
  "test/spec/prometheus/",
  "test/spec/task/",
  "test/spec/testing/",
  "test/spec/trace/",
  "test/spec/transport/",
  "test/spec/user-code/",
  "test/spec/virtual/",
  "test/spec/worker/",
]

export const IN_BROWSERS_OMITTED: readonly Omission[] = [
  {
    runtimes: BROWSERS,
    under: "test/spec/lock/",
    reason:
      "they unlock after an `await`, which needs to know the current thread (BR8); test/browser has tests of guards",
  },
  {
    runtimes: BROWSERS,
    under: "test/spec/thread/interrupted-waits.test.ts",
    reason: "they interrupt a thread that waits after an `await`, which a browser does not know (BR8)",
  },
  {
    runtimes: BROWSERS,
    under: "test/spec/memory/reservation.test.ts",
    reason: "a page has too few addresses for the memory of thousands of shared objects that are not collected yet",
  },
  {
    runtimes: BROWSERS,
    under: "test/spec/executor/completion-service-sync.test.ts",
    reason: "their thread makes a pool and blocks, or looks without a pause, before a thread of it has begun (BR18)",
  },
  {
    runtimes: BROWSERS,
    under: "test/spec/platform/holding.test.ts",
    reason:
      "the thread that has made the pool blocks until another one is dead, of which a browser does not tell it then",
  },
  ...NOT_GONE_THROUGH.map((under) => ({ runtimes: BROWSERS, under, reason: "not gone through in browsers yet" })),
]

export const IN_BROWSERS: readonly Difference[] = [
  ...OF_EXECUTORS,
  {
    runtimes: BROWSERS,
    reason:
      "after an `await` a browser does not know the current thread (BR8): the tests ask for it, let it be interrupted, or want an error to reach its handler",
    tests: {
      "test/spec/foundation/flow.test.ts": ["[MW16] inside a body, and in what it awaits, the flow is the current one"],
      "test/spec/future/cancelling.test.ts": [
        "[FT25] cancel(true) does not interrupt those who wait for the task, nor the canceller",
        "[FT25] cancel(true) of a finished task does not interrupt the thread that ran it",
        "[FT26] a body may cancel its own task; its value or error is then dropped",
      ],
      "test/spec/future/getting.test.ts": [
        "[FT33] get(ms) rejects with TimeoutError when the time is up and not before, and the task goes on",
      ],
      "test/spec/future/giving-up.test.ts": [
        "[FT36] get() is broken off by an interrupt while it waits; nobody else is affected",
        "[FT36] get() fails at once if the flag is raised, and clears it",
        "[FT36] get(ms) is broken off by an interrupt while it waits; nobody else is affected",
        "[FT36] get(ms) fails at once if the flag is raised, and clears it",
        "[FT36] get({ signal }) is broken off by an interrupt while it waits; nobody else is affected",
        "[FT36] get({ signal }) fails at once if the flag is raised, and clears it",
        "[FT36] then is broken off by an interrupt while it waits; nobody else is affected",
        "[FT36] then fails at once if the flag is raised, and clears it",
        "[FT36] a thread that was interrupted in get() can wait again",
        "[FT37] a signal that has aborted already rejects at once, also before a limit of zero and an interrupt",
        "[FT38] once done, neither interrupt nor limit nor abort counts, and the flag stays raised",
        "[FT38] completion and interrupt in the same breath: whichever came first decides, and the other is not lost",
      ],
      "test/spec/future/or-timeout.test.ts": ["[FT62] a done() that throws is reported, and the future is settled"],
      "test/spec/future/running.test.ts": [
        "[FT7] an asynchronous body goes on until its promise settles",
        "[FT8] a second run() while the body runs does nothing and does not wait",
        "[FT11] of a task that was cancelled meanwhile set and setException are called without effect",
      ],
      "test/spec/pool/abandoning.test.ts": [
        "[AB2] a task in a wait of corepool stops in time, and its thread stays",
        "[AB9] the thread of an abandoned task is alive, interrupted, and keeps its lock until the task ends",
      ],
      "test/spec/pool/admission.test.ts": [
        "[TP15] saturated, the handler is called once, here and now, with the task and the pool",
      ],
      "test/spec/pool/caller-runs.test.ts": [
        "[RJ15] cancelling the task ends its waits and leaves the caller's alone",
        "[RJ15] when the task is over its caller is as it was",
      ],
      "test/spec/pool/changes.test.ts": [
        "[TP80] tasks may change the settings of their pool, and no busy thread is interrupted",
      ],
      "test/spec/pool/hooks.test.ts": ["[TP32] hooks run around a task, on its thread"],
      "test/spec/pool/own-queue.test.ts": [
        "[TP120] poll throws: the oldest task runs, each once, and the pool ends",
        "[TP120] poll gives what was never offered: the oldest task runs, each once, and the pool ends",
        "[TP120] poll gives a number: the oldest task runs, each once, and the pool ends",
        "[TP120] poll gives a revoked proxy: the oldest task runs, each once, and the pool ends",
        "[TP120] remove throws, and poll gives nothing: the oldest task runs, each once, and the pool ends",
      ],
      "test/spec/pool/policies.test.ts": [
        "[RJ2] CallerRunsPolicy runs the task here and now",
        "[RJ4] there an asynchronous task begins, and its error goes to the caller's thread",
      ],
      "test/spec/pool/service.test.ts": ["[TP98] cancel(false) leaves the task alone"],
      "test/spec/pool/tasks.test.ts": [
        "[TP37] an interrupt is not passed on to the next task of the thread",
        "[TP38] an asynchronous task keeps its thread busy, and itself, across awaits",
      ],
      "test/spec/pool/termination.test.ts": [
        "[TP55] inside terminated() the pool is terminating and has no threads, and it runs once",
        "[TP62] an interrupt of the thread that waits in close() stops the pool and is raised again",
        "[TP62] a signal that aborts stops the pool, and close() rejects with its reason at the end",
        "[TP63] close() by one of the pool's own tasks is refused and changes nothing",
      ],
      "test/spec/sync/cyclic-barrier.test.ts": ["[CB4] it is the task of the last one that runs the action"],
      "test/spec/structured/joiner.test.ts": [
        "[JN7] what onComplete throws is an uncaught error of the thread, and the scope goes on",
      ],
      "test/spec/structured/scope.test.ts": [
        "[SS8] join() of a thread that is interrupted already cancels the scope",
        "[SS5] only the flow that has opened a scope may fork, join and close it",
        "[SS8] close() waits also if its thread is interrupted, and leaves the flag",
      ],
      "test/spec/structured/scoped-value.test.ts": [
        "[SV2] a binding holds across awaits, for its own flow alone, and ends with the function",
        "[SV4] forks inherit bindings, and so do forks of forks: virtual threads by default",
        "[SV10] values that were made from one position are not mixed up: virtual threads by default",
        "[SV4] forks inherit bindings, and so do forks of forks: a pool of virtual threads",
        "[SV10] values that were made from one position are not mixed up: a pool of virtual threads",
        "[SV4] forks inherit bindings, and so do forks of forks: a pool of platform threads",
        "[SV4] forks inherit bindings, and so do forks of forks: a hidden pool of platform threads",
        "[SV4] forks inherit bindings, and so do forks of forks: a platform thread per task",
        "[SV2] a task that a full pool has its caller run does not see the caller's bindings",
      ],
      "test/spec/thread/naming.test.ts": [
        "[TH5] main has the id 1 and is not virtual; the threads of a virtual factory are",
        "[TH6] toString() shows id and name",
      ],
      "test/spec/thread/progress.test.ts": [
        "[TH40] the listener of a task hears what it reports, also after an await, and not what others report",
      ],
      "test/spec/thread/dump.test.ts": [
        "[TH43] virtual threads: idle, running, and what each waits for",
        "[TH44] platform threads that block or compute are read from shared memory",
      ],
      "test/spec/thread/interrupting.test.ts": [
        "[TH22] Thread.interrupted() is about the current thread only",
        "[TH23] a wait that is broken off clears the flag, and so the next signal is fresh",
        "[TH24] a second interrupt while the flag is raised has no effect of its own",
        "[TH29] an interrupt before the start is kept",
        "[TH31] an interrupt does not reach the threads that one started, waits for, or is waited for by",
        "[TH33] main can be interrupted like any thread",
        "[TH33] a thread can interrupt itself while it is in a wait",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "a browser does not tell whether an object is a proxy",
    tests: {
      "test/spec/codec/hostile.test.ts": ["[CD10] proxies are refused, and asked nothing"],
      "test/spec/foundation/messages.test.ts": [
        "[ER8] the message has at most 500 characters: a proxy of a thrown error",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "functions have short names in dist/browser, and the message has such a name",
    tests: {
      "test/spec/pool/construction.test.ts": ["[TP4] what is no queue, factory, handler, switch or name is refused"],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "the tests use parts of Node: process.exit, process.memoryUsage",
    tests: {
      "test/spec/pool/last-thread.test.ts": [
        "[TP118] the last thread of a ForkJoinPool dies, and the factory throws: what waits fails, and the pool goes on and ends",
      ],
      "test/spec/queue/size.test.ts": [
        "[BQ61] elements removed from the middle leave no space behind",
        "[BQ61] elements removed soon after they came leave no space behind",
      ],
      "test/spec/thread/dump.test.ts": [
        "[TH43] a thread does not show the waits of a dead thread whose place it has got",
        "[TH45] scopes are a tree: each under the group of the thread that has opened it",
      ],
    },
  },
]
