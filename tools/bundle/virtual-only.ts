/**
 * What cannot happen in a program that has virtual threads alone, and so is left out of the module that bundlers take for
 * `corepool/virtual` (module.ts): a future whose task is in another thread, a queue in shared memory, a pool that another
 * thread has made. The classes are written for both kinds of threads.
 */
import type { Cut } from "./cuts.ts"
import type { ModuleOptions } from "./module.ts"

const UNSET = "void 0"
const NEVER_SHARED = { reads: { shared: UNSET } }
const KIND = { ...NEVER_SHARED, results: { toShared: "sharedBackends()" } }
/** A queue that another thread has posted: throws, as what makes a queue shared does. */
const opens = (core: string): Cut => ({ results: { from: `${core}.prototype.toShared()` } })

/** By the paths of compiled modules. */
const VIRTUAL_ONLY: Readonly<Record<string, Cut>> = {
  "future/outcome": {
    reads: { "#remote": UNSET, "#handle": "0", "#latest": "this.#state" },
    without: [
      "#remote",
      "#handle",
      "#latest",
      "#nameCaller",
      "[WILL_BE_AWAITED]",
      "[LEAVE_TO]",
      "[REMOTE_TASKS]",
      "[IS_REMOTE]",
      "[COME_BACK]",
      "[REMOTE_TIME]",
      "[REMOTE_HANDLE]",
      "[MAY_END]",
      "[IS_SETTLED]",
    ],
    calls: { "[WILL_BE_AWAITED]": UNSET, "#nameCaller": UNSET },
  },
  "future/result-wait": { without: ["interruptible"] },
  "future/future-task": {
    reads: { "[WORK_ARGUMENTS]": "this.#args" },
    calls: { "[MAY_END]": "true" },
    without: [
      "[WORK_ARGUMENTS]",
      "hasDone",
      "[SEND_ARGUMENTS]",
      "[TAKE_BACK]",
      "[RUN_REMOTELY]",
      "[IS_PORTABLE]",
      "[WORK]",
    ],
  },
  // What another thread would have to know of a task.
  "future/runnable": { calls: { noteResult: UNSET, noteObject: UNSET } },
  "task/each": { calls: { noteWrapped: UNSET } },
  // Items that make one task, as many as take a while: only on platform threads.
  "executor/map": { reads: { "[BULK_MAP]": UNSET } },
  "executor/map-feed": {
    reads: { itemCount: UNSET },
    calls: { "[WILL_BE_AWAITED]": UNSET, ended: UNSET, isLast: "false" },
    without: ["ended", "isLast", "itemCount"],
  },
  "executor/executor-service-base": { without: ["[LOCAL]"] },
  "executor/sending": { results: { requireTransferList: "requireArray(name, list)" } },
  "executor/completions": {
    calls: { noteRemote: UNSET },
    without: ["#remote", "noteRemote", "remote", "handle", "look"],
  },
  "executor/executor-completion-service": {
    calls: { look: UNSET, "#blockFor": UNSET },
    without: ["#blockFor"],
  },
  "executor/invoke": {
    calls: { look: UNSET, startedHere: "false", "[WILL_BE_AWAITED]": UNSET },
  },
  "future/time-limit": { without: ["sentAway"] },
  "executor/limits": {
    reads: { "#runTimer": UNSET },
    calls: { "#startOf": UNSET },
    without: ["#startOf", "#runTimer", "sentAway", "#expireElsewhere"],
  },
  "executor/retried-task": {
    reads: { "#due": UNSET },
    calls: { "#keepStart": UNSET },
    without: ["#startOf", "#start", "#due", "#keepStart", "sentAway", "getSync", "#sleepUntil"],
  },
  "executor/with-options": {
    calls: { setTransfer: UNSET },
    without: ["handle", "[SHAREABLE]"],
  },
  "pool/thread-pool-executor": {
    reads: { isOwner: "true", "#overridden": "3", "#makeNow": UNSET },
    calls: {
      sentPool: UNSET,
      mayWait: "false",
      beginEnd: UNSET,
      shuttingDown: UNSET,
      setHandler: UNSET,
      noteNewPool: UNSET,
    },
    results: { from: "platform()", handleOf: "pool.#engine.handle", "#engine": "this.#made" },
    without: ["[SHAREABLE]", "#makeNow", "[BULK_MAP]", "[THREADS]"],
  },
  // The functions and constructors of the entry read options themselves.
  "pool/pool-settings": { results: { platformSettings: "platform()" } },
  "pool/virtual-engine": {
    without: ["isOwner", "isBusy", "beginEnd", "shuttingDown", "setHandler", "threads"],
  },
  "core/pool-core": {
    calls: { mayEnd: "true" },
    results: { "#takeBack": "this.remove(task)" },
    without: ["noteFactoryThrew"],
  },
  "core/worker-loop": {
    calls: { stopIfBroken: UNSET, stopIfLeft: UNSET, mayLeave: UNSET, "#isKept": "false" },
    reads: { patience: UNSET, isSpent: UNSET, "#keeps": UNSET },
    without: ["#isKept", "#keeps"],
  },
  "pool/pool-context": {
    reads: { "#isKept": UNSET },
    // No pool of this form is noted: dumps and events are those of `corepool`.
    calls: { noteEndOfPool: UNSET },
    results: { execute: "isTold ? engine.execute(task) : this.#tell(pool, engine, task)" },
    without: ["#isKept", "#calls", "rest", "hooks"],
  },
  "core/pool-state": { without: ["add"] },
  "thread/thread": {
    reads: { "#body": UNSET },
    // The exported class has its static methods by src/virtual/thread.ts.
    calls: { "#startElsewhere": UNSET, requireCertainty: "requireCertainty({}, knownFlows)" },
    without: [
      "#body",
      "createPlatform",
      "#startElsewhere",
      "[LOCAL]",
      "currentThread",
      "interrupted",
      "sleep",
      "sleepSync",
      "dump",
    ],
  },
  "schedule/scheduled-thread-pool-executor": {
    calls: { sentPool: UNSET, "#planInSharedMemory": UNSET },
    without: ["#planInSharedMemory"],
  },
  "schedule/scheduled-task": {
    reads: { "[REMOTE_TIME]": UNSET },
    without: ["[COME_BACK]", "[IS_PORTABLE]"],
  },
  // All waits are for events of the same thread: no pool has to compensate for them.
  "memory/flow/waiting": {
    reads: { limited: "true", interruptible: "true" },
    without: ["resume"],
    results: { block: "place.block(flow, ms)", "#enters": "this.enter(place)" },
  },
  "time/timer": { without: ["after"] },
  "memory/flow/wait-list": {
    reads: { interruptible: "true" },
    without: ["interruptible", "limited", "isLocal"],
  },
  "queue/base/queue-core": {
    reads: { "#shared": UNSET },
    // Which throws, whatever the queue.
    results: { share: "this.toShared()" },
    without: ["#shared", "holdTasksIn", "adopt", "shared", "moved"],
  },
  "queue/base/blocking-queue": { ...NEVER_SHARED, without: ["[SHAREABLE]"] },
  "queue/base/list-core": {
    ...NEVER_SHARED,
    results: { toShared: "sharedBackends()" },
    without: ["moved", "adopt"],
  },
  "queue/linked-blocking-queue": opens("ListCore"),
  "queue/linked-blocking-deque": opens("DequeCore"),
  "queue/array-blocking-queue": { ...NEVER_SHARED, ...opens("ListCore") },
  "queue/base/heap-core": { ...NEVER_SHARED, without: ["elementsAsTheyCame"] },
  "queue/priority-blocking-queue": opens("PriorityCore"),
  "queue/base/priority-core": KIND,
  "queue/delay-queue": opens("DelayCore"),
  "queue/base/delay-core": KIND,
  "queue/linked-transfer-queue": opens("TransferCore"),
  "queue/base/transfer-core": { ...KIND, without: ["moved"] },
  "queue/synchronous-queue": opens("SynchronousCore"),
  "queue/base/synchronous-core": { ...KIND, without: ["moved"] },
}

/**
 * Names that only the inside of a pool uses, of members that no minifier can know to be private. They become short. None is of an object that
 * the program, or another copy of corepool in the thread, has a hand on, except those with the reserved prefix: these are members of pools and futures,
 * used by `this` alone, and keep the prefix.
 */
export const INNER_NAMES: readonly string[] = [
  "c$engine",
  "c$label",
  "c$onShutdown",
  "c$giveToEngine",
  "c$keeperOf",
  "c$waitIsOver",
  "control",
  "workerCount",
  "tryAddWorker",
  "tryRemoveWorker",
  "removeWorker",
  "addWorker",
  "ensureWorker",
  "workerExit",
  "tryTerminate",
  "interruptIdleWorkers",
  "interruptWorkers",
  "notePoolSize",
  "workerBecameActive",
  "workerBecameIdle",
  "currentTask",
  "countCompleted",
  "failWaiting",
  "isRunning",
  "chunks",
  "announceTermination",
  "hasPolicy",
  "setPolicy",
  "dropUnwanted",
  "admitNext",
  "relieve",
  "closing",
  "hasThread",
  "advanceTo",
  "waitToInsert",
  "waitToTake",
  "obtainSync",
  "equalToOneOf",
  "whyNothing",
  "removeWhere",
  "removeOne",
  "inserting",
  "vacated",
  "refusal",
  "behead",
  "demand",
  "obtain",
  "toShared",
  "removeEqual",
  "extract",
  "insert",
  "taking",
  "ready",
  "walk",
  "cursor",
  "accept",
  "equal",
  "wipe",
  "reportUncaught",
  "standsInQueue",
  "takers",
  "heirRound",
  "heir",
  "holes",
  "fate",
  "inherit",
  "before",
  "ticket",
  "watchForQuiescence",
  "isQuiet",
  "quiescent",
  "quiescence",
  "finishEnd",
  "hasIdleWorkers",
  "endPool",
  "newWorker",
  "overstayed",
  "overstay",
  "forgetNewest",
  "setPaused",
  "tryTidy",
  "changes",
  "beginning",
  "keepAlive",
  "isEager",
  "rejections",
  "counts",
  "increment",
  "dropWaiting",
  "told",
  "ofCall",
  "ofBound",
  "admit",
  "noun",
  "peekAt",
  "isBusy",
  "executed",
  "adoptMain",
  "parties",
  "gate",
  "rests",
]

/** What `virtual-module.js` is made of. */
export const VIRTUAL_MODULE: ModuleOptions = { contents: 'export * from "./virtual/index.js"', cuts: VIRTUAL_ONLY }
