/**
 * Where the runtimes differ, as data. A test listed here is expected to fail there: it counts as `differs`, with the
 * reason. If it passes, or is gone, the run fails, so that the list stays true.
 */
import { IN_BROWSERS, IN_BROWSERS_OMITTED } from "./browser/differences.ts"
import type { RuntimeName } from "./runtime.ts"

export interface Difference {
  readonly runtimes: readonly RuntimeName[]
  readonly reason: string
  /** By the paths of their sources, the titles of the tests, after those of their suites: `outer > inner`. */
  readonly tests: Readonly<Record<string, readonly string[]>>
}

/** Files that do not concern a runtime and are not run on it. */
export interface Omission {
  readonly runtimes: readonly RuntimeName[]
  /** How the paths of the files start. */
  readonly under: string
  readonly reason: string
}

export const OMISSIONS: readonly Omission[] = [
  ...IN_BROWSERS_OMITTED,
  {
    runtimes: ["bun", "deno"],
    under: "test/tools/",
    reason: "they test the checks of this repository, which are programs for Node",
  },
  {
    runtimes: ["bun", "deno"],
    under: "test/model/running.test.ts",
    reason: "it tests how `npm test` runs model tests, which is by Node",
  },
  {
    runtimes: ["deno"],
    under: "test/spec/command-line/",
    reason: "the command `corepool` is a program for Node, and Bun runs it too",
  },
]

export const DIFFERENCES: readonly Difference[] = [
  ...IN_BROWSERS,
  {
    runtimes: ["bun", "deno"],
    reason: "only Node can start from code that was compiled before, and elsewhere no memory is kept for it",
    tests: {
      "test/spec/worker/code.test.ts": [
        "[WK50] the code of the first that leaves it is that of all later ones",
        "[WK50] code of one build is not taken for that of another, nor inherited a second time",
        "[WK50] there is room for the code of every file of the program",
        "[WK50] threads start with the code of one that has ended, and those that they start too",
      ],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason:
      "there a thread that ends is not told whether it has failed, and so cannot tell a thread that blocks its exit code; the " +
      "runtime does, when that no longer blocks",
    tests: {
      "test/spec/worker/code.test.ts": ["[WK51] the exit code of a thread is known to one that blocks for its task"],
    },
  },
  {
    runtimes: ["deno"],
    reason:
      "the build is a program for Node: Deno's brotli makes other bytes of the monitor's page, and so another build",
    tests: {
      "test/spec/worker/start.test.ts": [
        "[WK8] the published files are what becomes of the sources, the same each time, and the version is the package's",
      ],
    },
  },
  {
    runtimes: ["bun"],
    reason:
      "the text of a function is what Bun has made of it, and not what is in its file: the line of an error is one nearby; and a " +
      "function that returns what another one returns has left the stack",
    tests: {
      "test/spec/task/inline.test.ts": [
        "[TK24] [TK25] the stack of an error shows the function in its file, and who has submitted it",
        "[TK24] with source maps, in the file of which it was made: external",
        "[TK24] with source maps, in the file of which it was made: inline",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason:
      "Deno applies source maps to what it tells of a stack, but not to functions that are made from a text: of such a file, the " +
      "line of an error is one nearby; and it has other flags to evaluate an argument",
    tests: {
      "test/spec/task/inline.test.ts": [
        "[TK23] a function that was typed in imports from the working folder",
        "[TK24] with source maps, in the file of which it was made: external",
        "[TK24] with source maps, in the file of which it was made: inline",
      ],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason:
      "only in Node does what runs a script call functions that a task can replace; elsewhere no task can keep its thread from loading code",
    tests: {
      "test/spec/worker/late-loading.test.ts": [
        "[PL56] a thread that cannot load code is replaced, and the task that has needed it is told so by a ThreadDeathError",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason: "a thread needs the method to compile a function: Deno's Module._compile() calls it",
    tests: {
      "test/spec/platform/broken-globals.test.ts": [
        "[PL56] a task submits a function written in place from a thread in which another task has taken Function.prototype.call away",
      ],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason: "a program cannot debug its own threads there, as it can by NodeWorker in Node",
    tests: {
      "test/spec/worker/debugger.test.ts": ["[WK60] a thread is a target, and stops at breakpoints"],
    },
  },
  {
    runtimes: ["bun"],
    reason:
      "Bun does not keep a worker within its resourceLimits (oven-sh/bun#31411): one that is to run out of memory would take " +
      "all the machine has, so these tests end before they begin",
    tests: {
      "test/spec/lock/death.test.ts": ["[LK20] it does not matter how a holder died (memory)"],
      "test/spec/lock/read-write-death.test.ts": ["[RW34] who follows a dead writer learns of it (out of memory)"],
      "test/spec/memory/lifetime.test.ts": [
        "[MM8] a lock whose holder runs out of memory goes to the next, who is told",
      ],
      "test/spec/worker/threads.test.ts": [
        "[WK15] a thread has its limits, and a task that exceeds them costs that thread only",
      ],
      "test/spec/worker/output.test.ts": [
        "[WK21] nothing is lost of what a task printed before its thread ended (direct, devour)",
        "[WK21] nothing is lost of what a task printed before its thread ended (relayed, devour)",
      ],
      "test/spec/platform/cancellation.test.ts": [
        "[PL17] so does a lack of memory",
        "[PL18] a worker that runs out of memory while the owner blocks for its task",
      ],
      "test/spec/peers/defects.test.ts": [
        "[PD9] exit, an uncaught error and a full heap each fail the running task only",
      ],
      "test/stress/chaos.test.ts": ["[PL19] many tasks, some of which are deadly"],
    },
  },
  {
    runtimes: ["bun"],
    reason:
      "Bun counts what a thread has just allocated in heapUsed only after a collection: the thread is replaced some tasks later",
    tests: {
      "test/spec/worker/recycle.test.ts": ["[RC2] a thread is replaced when more of its heap is in use than that"],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason: "they hand an AggregateError that ends a thread to its parent as an Error, with the message alone",
    tests: {
      "test/spec/worker/teardown.test.ts": ["[TD3] several errors are one AggregateError"],
    },
  },
  {
    runtimes: ["bun"],
    reason:
      "a function that returns what another one returns has left the stack by then: JavaScriptCore has proper tail calls",
    tests: {
      "test/spec/forkjoin/dividing.test.ts": ["[FJ8] join throws what the task has thrown, wherever that was"],
      "test/spec/distributed/submitting.test.ts": ["[DX1] an error has its class and fields, and both stacks"],
      "test/spec/distributed/ids.test.ts": [
        "[DX36] an error of the handle itself ends with the call that has submitted the task",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason:
      "Deno's exit() hides the store until its function returns, and not from what that has started: a promise handler sees it too",
    tests: {
      "test/spec/executor/context.test.ts": ["[CX1] a task that is submitted inside of exit() sees no store"],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason: "their performance.eventLoopUtilization() gives zeros only",
    tests: {
      "test/spec/worker/lifetime.test.ts": ["[WK43] its event loop counts that time as idle"],
    },
  },
  {
    runtimes: ["deno"],
    reason:
      "on Deno a thread writes to the standard output of the process by itself, past `process.stdout` of any other thread, and its " +
      "console does not mind if nobody reads that",
    tests: {
      "test/spec/worker/output.test.ts": [
        "[WK23] who has replaced process.stdout.write sees what threads print; output: direct goes past it",
        "[WK25] when nobody reads any more, the program ends as if it had printed by itself",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason: "Deno starts a module by its full name only, and has no `--test`",
    tests: {
      "test/spec/worker/modules.test.ts": [
        "[WK34] also by less than its name",
        "[WK34] in a file of tests that is run by node --test, that is the file",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason: "on Deno the timers ask the mocks of node:test themselves, whoever has taken them and when",
    tests: {
      "test/spec/foundation/runtime.test.ts": [
        "[TI8] fakes that came after corepool do not reach it: node:test",
        "[TI9] of those of node:test that came first there is a warning",
      ],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason:
      "the main thread has a larger stack than other threads, and so can read whatever nested values they can write",
    tests: {
      "test/spec/executor/map-sending.test.ts": [
        "[MP32] so does one, or an error, that the consuming thread cannot read",
      ],
    },
  },
  {
    runtimes: ["bun", "deno"],
    reason: "no flag makes their threads run other code first, which could end them before they begin",
    tests: {
      "test/spec/compat/piscina.test.ts": [
        "[CT20] threads that end before they can have tasks are not replaced without end",
      ],
    },
  },
  {
    runtimes: ["bun"],
    reason: "Bun takes any flag for a worker",
    tests: {
      "test/spec/worker/threads.test.ts": [
        "[WK14] flags that the runtime refuses are its error, and cost the task only",
      ],
    },
  },
  {
    runtimes: ["deno"],
    reason:
      "on Deno terminate() does not stop a thread that computes or blocks. It says that the thread is gone, and the thread " +
      "goes on until it is back in its event loop, with what it holds; so these tests end before they begin",
    tests: {
      "test/spec/memory/lifetime.test.ts": [
        "[MM8] a lock whose holder is terminated while it computes goes to the next, who is told",
      ],
      "test/spec/platform/ending.test.ts": [
        "[PL41] a task that stops its own pool is not terminated before it has handed everything back",
      ],
      "test/spec/lock/read-write-survival.test.ts": [
        "[RW39] threads killed at random leave nobody waiting (not fair)",
        "[RW39] threads killed at random leave nobody waiting (fair)",
      ],
      "test/spec/sync/cyclic-barrier-threads.test.ts": ["[CB26][CB27] a thread that dies at any moment stops nobody"],
      "test/spec/sync/exchanger-death.test.ts": [
        "[EX17] when threads are killed at any moment, those who are left go on exchanging whole values",
      ],
      "test/spec/sync/phaser-death.test.ts": [
        "[PH40] if a thread dies in onAdvance, the phaser is terminated and all who wait go on",
        "[PH40] whoever comes later finds it terminated",
      ],
      "test/stress/locks.test.ts": [
        "[ST3] nothing hangs, and no record stays half-written, when threads are killed at random: unfair",
        "[ST3] nothing hangs, and no record stays half-written, when threads are killed at random: fair",
        "[ST3] nothing hangs, and no record stays half-written, when threads are killed at random: write",
      ],
      "test/stress/shared-queue.test.ts": [
        "[TQ18] producers and consumers of a bounded buffer die, and nothing else is lost or doubled",
        "[TQ18] those of a queue without room die",
        "[TQ18] those of an ordered queue die",
      ],
      "test/spec/platform/cancellation.test.ts": [
        "[PL15] a task that does not stop is ended with its thread, and what waits runs",
        "[PL15][PL16] a task that has no time left and does not stop is ended with its thread",
      ],
      "test/stress/arena.test.ts": [
        "[AR10][AR12] threads that are ended at any moment cost what they had in hand, and nothing else",
      ],
      "test/stress/outside-kills.test.ts": [
        "fixed",
        "bounded",
        "hand-over",
        "priority",
        "scheduled",
        "fork/join",
      ].flatMap((kind) =>
        ["shutdown", "shutdownNow"].map(
          (how) => `[ST5][PL19][PL43] threads that are terminated from outside, and then ${how}(): ${kind}`,
        ),
      ),
      "test/stress/chaos.test.ts": ["[PL19] many tasks, some of which are deadly"],
      "test/spec/platform/inside.test.ts": [
        "[PL72] cancel(true) of a task ends what runs inside of it, 1 deep: spin",
        "[PL72] cancel(true) of a task ends what runs inside of it, 3 deep: spin",
      ],
      "test/spec/structured/owner-death.test.ts": [
        "[SS23] they end when the thread that has opened the scope is terminated",
      ],
      "test/stress/scope-deaths.test.ts": ["fixed", "scheduled", "fork/join", "a thread per task"].map(
        (kind) => `[SS24][SS23] wherever the thread of a scope dies, no fork, no count and no lock is lost: ${kind}`,
      ),
      "test/stress/scopes.test.ts": ["[SS22] every scope ends though threads die in its forks, and the pool works on"],
      "test/spec/schedule/platform.test.ts": [
        "[SP5] a run that does not stop when it is cancelled is ended with its thread, and others go on",
      ],
      "test/stress/schedule.test.ts": [
        "[SP10] delayed tasks and series, cancelled at random, on threads that die; removeOnCancel false",
        "[SP10] delayed tasks and series, cancelled at random, on threads that die; removeOnCancel true",
      ],
      "test/stress/soak.test.ts": ["[PL33] a pool that works for a long time does not grow"],
      "test/stress/structures.test.ts": ["[RG9][RG12][RG13] a ring loses no more than the dead had in their hands"],
    },
  },
]
