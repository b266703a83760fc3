/**
 * The threads of a platform pool in a model: a small pool in memory that does not grow, with the library's own classes over
 * it, made anew by each body in the name of its thread.
 *
 *     setup: () => poolOf({ threads: ["s", "a"], tasks: 2 }),
 *     threads: { a: (shared) => { const { boxes } = member(shared, "a"); boxes.put(1) } },
 */
import { sharedWords } from "#atomics"
import { encodeArguments } from "#src/codec/arguments.js"
import { Bell } from "#src/memory/wait/bell.js"
import { Flow, mainFlow } from "#src/memory/flow/flow.js"
import type { ThreadContext } from "#src/memory/thread/thread-context.js"
import { LINE } from "#src/memory/layout.js"
import { FREE } from "#src/memory/thread/node-pool.js"
import { RING } from "#src/memory/structures/ring.js"
import { THREAD } from "#src/memory/thread/thread-registry.js"
import { EXCLUSIVE, QUEUE } from "#src/memory/wait/wait-queue.js"
import { perThread } from "#src/per-thread.js"
import { CompletionQueues } from "#src/platform/memory/completion-queues.js"
import {
  BASE,
  COMPLETION_QUEUE,
  BY_ARRIVAL,
  HEADER,
  slotsBase,
  TASK,
  tasksBase,
  WORKER,
} from "#src/platform/memory/layout.js"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { SharedWorkerTable } from "#src/platform/memory/workers/shared-worker-table.js"
import { TaskQueue } from "#src/platform/queue/task-queue.js"
import { TaskRecords } from "#src/platform/memory/task-records.js"
import assert from "node:assert/strict"
import { name } from "./explore.ts"
import { Program } from "./program.ts"

export interface Shape {
  /** The first of them submits, and has box 1. */
  readonly threads: readonly string[]
  /** How many tasks there are: slots 1 and so on, all NEW, without arguments. */
  readonly tasks: number
  /** How many slots there are; as many as tasks unless told. */
  readonly capacity?: number
  /** Of the queue; −1 unless told. */
  readonly bound?: number
  readonly ordering?: number
  /** For workers with tasks of their own: see src/platform/queue/deques.ts. */
  readonly deques?: Int32Array
}

/** Words for what a test wants to note. */
const NOTES = 16

export interface PoolModel {
  readonly program: Program
  readonly memory: PoolMemory
  /** The node of the bell of the first thread. */
  readonly bell: number
  readonly notes: Int32Array
}

/** For the set-up. */
export function poolOf({
  threads,
  tasks,
  capacity = tasks,
  bound = -1,
  ordering = BY_ARRIVAL,
  deques,
}: Shape): PoolModel {
  const program = new Program(...threads)
  const [submitter] = threads as [string]
  const threadContext = program.enter(submitter)
  const memory = PoolMemory.small(threadContext, { capacity, bound, ordering, deques })
  nameAll(memory)
  const bell = threadContext.nodes.take(0, FREE, EXCLUSIVE)
  const records = new TaskRecords(memory)
  assert.equal(new CompletionQueues(memory, records).open({ token: threadContext.token, index: bell } as Bell), 1)
  for (let slot = 1; slot <= tasks; slot++) {
    assert.equal(records.take(1, 0, 0), slot)
    records.fill(slot, encodeArguments([]))
    records.enroll(slot, 0, 0)
  }
  const notes = sharedWords(NOTES)
  name(notes, "notes")
  return { program, memory, bell, notes }
}

/** What the library keeps of a pool for each real thread: it would outlive a replay, and be that of another thread. */
const sideChannels = perThread("side channels", () => new Map<number, unknown>())

export interface Member {
  readonly threadContext: ThreadContext
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly completionQueues: CompletionQueues
  readonly workerTable: SharedWorkerTable
  readonly queue: TaskQueue
}

/** A look stands for as many as there may be: nothing but the last one makes a difference, and it may be at any time. */
const ONE_LOOK = { isWorthwhile: true, until: (isNews: () => boolean): boolean => isNews() }

/** Becomes the thread, and opens the pool in its name; `number` is that of the worker that it is, if it is one. */
export function member({ program, memory: ours }: PoolModel, thread: string, number = 0): Member {
  sideChannels.clear()
  const threadContext = program.enter(thread)
  const memory = PoolMemory.open(ours.handle, threadContext)
  const tasks = new TaskRecords(memory)
  const workerTable = new SharedWorkerTable(memory, () => undefined)
  const queue = new TaskQueue(memory, tasks, number === 0 ? 0 : workerTable.at(number).claim, ONE_LOOK)
  return { threadContext, memory, tasks, completionQueues: new CompletionQueues(memory, tasks), workerTable, queue }
}

/** The bell of the first thread, which it has had since before there was anything in its box. */
export function bellOf({ bell: index }: PoolModel, threadContext: ThreadContext, answer: () => void): Bell {
  const { nodes } = threadContext
  const take = nodes.take.bind(nodes)
  nodes.take = () => index
  const bell = new Bell(threadContext, answer)
  nodes.take = take
  nodes.unstick([index], () => undefined) // those who died before this thread began its part in the model
  return bell
}

/**
 * The flow of a worker, whose interrupt flag is a word of the model, in the place of this thread's own. Always the same
 * number: it is written into shared memory.
 */
export function flowOf({ program }: PoolModel, thread: string): Flow {
  const flow = Object.assign(new Flow(), { id: 1, idle: true })
  flow.exposeFlag(program.registry.words, program.registry.entryOf(program.token(thread)) + THREAD.INTERRUPT)
  mainFlow.passInterruptOn = () => flow.passInterruptOn()
  return flow
}

/** Workers 1 and so on, as if they had begun. For the set-up. */
export function hire({ program, memory }: PoolModel, ...threads: string[]): void {
  for (const thread of threads) {
    const opened = PoolMemory.open(memory.handle, program.enter(thread))
    const worker = new SharedWorkerTable(opened, () => undefined).enlist(undefined)
    worker?.request()
    assert.ok(worker?.take() === true)
    worker.begin()
  }
}

function nameAll({ words, capacity }: PoolMemory): void {
  const fields: Record<string, number> = {}
  const add = (base: number, layout: Readonly<Record<string, number>>, label: string): void => {
    for (const [field, offset] of Object.entries(layout))
      if (field !== "SIZE") fields[`${label}${field}`] = base + offset
  }
  add(BASE.HEADER, HEADER, "")
  add(BASE.WAITERS, QUEUE, "waiters.")
  add(BASE.RING, RING, "queue.")
  add(slotsBase(capacity) + LINE, RING, "slots.")
  for (const number of [1, 2, 3]) {
    add(BASE.WORKER_TABLE + number * LINE, WORKER, `worker ${number}.`)
    add(BASE.COMPLETION_QUEUES + number * LINE, COMPLETION_QUEUE, `box ${number}.`)
  }
  for (let slot = 1; slot <= capacity; slot++) add(tasksBase(capacity) + slot * TASK.SIZE, TASK, `task ${slot}.`)
  name(words, "pool", fields)
}

/** Whatever their order. */
export function sorted(slots: readonly number[]): number[] {
  return [...slots].sort((a, b) => a - b)
}
