/** Where the folders of executors and pools differ in browsers: a part of ./differences.ts. */
import type { Difference } from "../differences.ts"
import { BROWSERS } from "./browsers.ts"

/** The kinds of executors that run the contract, by folder. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  executor: [
    "fixed pool",
    "pool of one",
    "cached pool",
    "bounded pool with CallerRunsPolicy",
    "single-thread executor",
    "unconfigurable wrapper",
    "view of a pool",
    "view of a wrapper",
    "thread per task",
    "virtual thread per task",
    "subclass of AbstractExecutorService",
  ],
  schedule: [
    "scheduled pool",
    "scheduled pool without core threads",
    "single-thread scheduled executor",
    "view of a scheduled pool",
    "scheduled pool of platform threads",
  ],
  platform: [
    "fixed pool of platform threads",
    "pool of one platform thread",
    "cached pool of platform threads",
    "single platform thread",
    "wrapper of a bounded pool of platform threads with CallerRunsPolicy",
    "view of a pool of platform threads with priorities",
    "platform thread per task",
    "pool of platform threads that another thread has made",
  ],
  forkjoin: ["fork/join pool", "view of a fork/join pool of one thread, in the order of arrival"],
}

function ofContract(titles: (subject: string) => readonly string[]): Difference["tests"] {
  return Object.fromEntries(
    Object.entries(SUBJECTS).map(([folder, subjects]) => [
      `test/spec/${folder}/contract.test.ts`,
      subjects.flatMap(titles),
    ]),
  )
}

export const OF_EXECUTORS: readonly Difference[] = [
  {
    runtimes: BROWSERS,
    reason: "`capture` does not work in a page",
    tests: ofContract((subject) => [
      `[OC1] [OC2] ${subject}: each of many tasks at once has its own output`,
      `[OC1] ${subject}: a task that fails has its output, and one without capture has none`,
      `[OC7] ${subject}: invokeAll and a completion service show the output of each task`,
    ]),
  },
  {
    runtimes: BROWSERS,
    reason: "the tests listen to process.on",
    tests: ofContract((subject) => [`[ES4] ${subject}: a failed future that nobody looks at disturbs nobody`]),
  },
  {
    runtimes: BROWSERS,
    reason:
      "after an `await` a browser does not know the current thread (BR8): the tests ask for it, let it be interrupted, or want an error to reach its handler",
    tests: {
      "test/spec/executor/map-end.test.ts": [
        "[MP15] what the source gives after that is not begun",
        "[MP15] an iterator without return, too, is read no further, not even to the end of a chunk",
        "[MP22] a source that fails as it is closed is told to the consuming thread's handler",
      ],
      "test/spec/executor/map.test.ts": [
        "[MP5] an executor of one's own has a window of 16",
        "[MP8] a slow source does not hold up results that are there",
        "[MP11] the last chunk is not lost if the executor has no room for it",
      ],
      "test/spec/executor/with-options.test.ts": [
        "[WO24] an executed command's error goes to the thread's handler, and the thread lives on",
        "[WO24] so does its running out of time; its cancellation is nobody's error",
        "[WO25] a command that never got a thread is told to the handler of the one that executed it",
      ],
      "test/spec/schedule/cron-series.test.ts": [
        "[CR22] a run under way is the last, and interrupted as cancel was told: false",
        "[CR22] a run under way is the last, and interrupted as cancel was told: true",
      ],
      "test/spec/executor/contract.test.ts": [
        "[ES6] view of a pool: an executed command's error goes to its thread's handler, once, and the executor lives on",
        "[ES6] view of a wrapper: an executed command's error goes to its thread's handler, once, and the executor lives on",
      ],
      "test/spec/schedule/contract.test.ts": [
        "[ES6] view of a scheduled pool: an executed command's error goes to its thread's handler, once, and the executor lives on",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason:
      "no function of a browser ends a thread at once, as process.exit does; test/browser has tests of threads that die",
    tests: {
      "test/spec/structured/owner-death.test.ts": [
        "[SS23] the forks of a scope end with the thread that has opened it, tasks that it has submitted do not: fixed",
        "[SS23] the forks of a scope end with the thread that has opened it, tasks that it has submitted do not: scheduled",
        "[SS23] the forks of a scope end with the thread that has opened it, tasks that it has submitted do not: fork/join",
        "[SS23] the forks of a scope end with the thread that has opened it, tasks that it has submitted do not: a thread per task",
        "[SS23] they end in the pool that the thread was of, too, and all tasks are counted",
      ],
      "test/spec/executor/map-chunks.test.ts": ["[MP29] the items of a task whose thread dies are lost with it"],
      "test/spec/schedule/leader.test.ts": ["[SC9] a leader that dies, or is interrupted, is not waited for"],
      "test/spec/platform/growth.test.ts": ["[GE2] a thread that dies is replaced, and the pool goes on growing"],
      "test/spec/platform/pause.test.ts": [
        "[PZ18] a pool is still paused when the thread that has paused it is dead",
        "[PZ18] a ForkJoinPool is still paused when the thread that has paused it is dead",
        "[PZ19] a thread that dies while it waits with its task loses nothing",
      ],
      "test/spec/platform/uncaught.test.ts": [
        "[PL8] a command that takes its thread with it is told with that thread, once",
        "[PL8] commands that another thread has submitted are told in the owner's thread",
      ],
      "test/spec/forkjoin/cancelling.test.ts": [
        "[FJ30] a part whose thread dies fails its joiner, and the pool goes on with another thread",
        "[FJ31] what a dead thread has forked runs all the same, once",
      ],
      "test/spec/forkjoin/hazards.test.ts": [
        "[FJ31] what a dead thread has left is run by the next in its place also in the midst of another task",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason:
      "the thread that has made the pool blocks before a thread of the pool has begun, and starts none meanwhile (BR18)",
    tests: {
      "test/spec/platform/held-up-threads.test.ts": [
        "[PL68] the owner ends such a thread also while it blocks for a task behind it",
      ],
      "test/spec/platform/left-threads.test.ts": [
        "[PL58][PL43] a thread that has left takes no more tasks, and does nothing more with that in its hand, though its microtasks run on",
      ],
      "test/spec/platform/retry.test.ts": ["[RY1] [RY15] getSync waits for all attempts and the delays between them"],
      "test/spec/platform/tasks.test.ts": [
        "[PL10] getSync blocks until the task is done",
        "[PL12] many tasks that end while nobody looks are all there",
      ],
      "test/spec/forkjoin/dividing.test.ts": ["[FJ4] who waits for a stolen task works on what it has forked since"],
      "test/spec/forkjoin/hazards.test.ts": [
        "[FJ46] a task of another kind of pool forks into the common pool of its thread",
      ],
      "test/spec/forkjoin/outside.test.ts": [
        "[FJ67] to fork or to submit a task that is over does nothing, in a pool and outside; join tells",
        "[FJ17] join outside of a pool goes on in spite of an interrupt, which is kept; getSync does not",
      ],
      "test/spec/platform/short-waits.test.ts": ["[PL70] also if the program blocks for every second task"],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "the test blocks in a window",
    tests: {
      "test/spec/platform/termination-timer.test.ts": [
        "[PL67] a worker that waits for a hook in the owner's thread is not terminated for that",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "a page has too few addresses for the memory of 4,096 pools",
    tests: {
      "test/spec/platform/pool-memory.test.ts": [
        "[PL51] thousands of pools can be open at a time; one more than 4,096 is refused, and when one has ended there is room again",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "the tests run in a worker, which has no larger stack than the threads of a pool",
    tests: {
      "test/spec/executor/map-sending.test.ts": [
        "[MP32] so does one, or an error, that the consuming thread cannot read",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason: "not known yet: it fails in Chromium each time",
    tests: {
      "test/spec/executor/map.test.ts": [
        "[MP13] so it is if others took the room while its results waited: no item is passed over in silence",
      ],
    },
  },
  {
    runtimes: BROWSERS,
    reason:
      "the tests use parts of Node: Buffer, ports with `once`, process.on, process.memoryUsage, process.nextTick, its clock",
    tests: {
      "test/spec/codec/bulk.test.ts": ["[CD20] long stretches of bytes go beside the letter, each at its place"],
      "test/spec/executor/map-sending.test.ts": [
        "[MP37] what the function marks for transfer is moved, in tasks of any number of items",
      ],
      "test/spec/executor/with-signal.test.ts": [
        "[WO5] a thousand tasks share a signal with one listener, no warning, and none is left in the end",
      ],
      "test/spec/schedule/cron-platform.test.ts": [
        "[CR29] a worker thread whose wall clock was set back puts the run off",
      ],
      "test/spec/platform/left-threads.test.ts": [
        "[PL17][PL19] a thread that catches its error and calls process.exit is replaced and ended, also if a microtask waits then",
      ],
      "test/spec/platform/pool-memory.test.ts": [
        "[PL50] without a turn of the event loop nothing keeps a fixed pool that has ended",
        "[PL50] without a turn of the event loop nothing keeps a pool with priorities that has ended",
        "[PL50] without a turn of the event loop nothing keeps a scheduled pool that has ended",
        "[PL50] without a turn of the event loop nothing keeps a fork/join pool that has ended",
      ],
      "test/spec/platform/replaced-globals.test.ts": [
        "[PL48] a task that replaces timers and clocks, by ones that do nothing strands no future of its thread, and the pool ends: fixed",
        "[PL48] a task that replaces timers and clocks, by ones that do nothing strands no future of its thread, and the pool ends: scheduled",
        "[PL48] a task that replaces timers and clocks, by ones that do nothing strands no future of its thread, and the pool ends: fork/join",
      ],
    },
  },
]
