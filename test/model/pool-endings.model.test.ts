/** Threads that are no workers take tasks out of the queue, to shut the pool down or not, and die. Rules: docs/spec/platform.md. */
import { add, load, store } from "#atomics"
import { CANCELLED, COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "#src/future/task-state.js"
import type { Bell } from "#src/memory/wait/bell.js"
import { FREE } from "#src/memory/thread/node-pool.js"
import { EXCLUSIVE } from "#src/memory/wait/wait-queue.js"
import { CompletionQueues } from "#src/platform/memory/completion-queues.js"
import { Endings, mayEnd } from "#src/platform/memory/workers/endings.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { TakenTasks } from "#src/platform/submit/taken-tasks.js"
import { Taker } from "#src/platform/queue/taker.js"
import { TaskRecords } from "#src/platform/memory/task-records.js"
import { SHUTDOWN, STOP } from "#src/core/control-word.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Notes: how often a task was run, by its slot. */
const RUNS = 0
/** And whether it was found in the hand of a dead worker. */
const IN_HAND = 3

/** Box 1 is that of the submitter. */
const COMPLETION_QUEUES = { guest: 2, other: 3, owner: 4 } as const
type Guest = keyof typeof COMPLETION_QUEUES

const setup =
  (tasks: number, ...workers: string[]) =>
  (): PoolModel => {
    const shared = poolOf({ threads: ["s", "guest", "other", "owner", ...workers], tasks })
    for (const guest of Object.keys(COMPLETION_QUEUES) as Guest[]) {
      const threadContext = shared.program.enter(guest)
      const memory = PoolMemory.open(shared.memory.handle, threadContext)
      const bell = { token: threadContext.token, index: threadContext.nodes.take(0, FREE, EXCLUSIVE) } as Bell
      assert.equal(new CompletionQueues(memory, new TaskRecords(memory)).open(bell), COMPLETION_QUEUES[guest])
    }
    hire(shared, ...workers)
    const { queue, memory } = member(shared, "owner")
    memory.setOwner(0)
    for (let slot = 1; slot <= tasks; slot++) assert.ok(queue.offer(slot))
    return shared
  }

function enter(shared: PoolModel, guest: Guest): Member {
  const opened = member(shared, guest)
  opened.queue.taker = new Taker(opened.memory, opened.tasks, COMPLETION_QUEUES[guest])
  return opened
}

/** What is done with a task of another thread that will not run: see ForeignTask.done. */
function cancel({ tasks, completionQueues }: Member, slot: number): void {
  tasks.leaveNew(slot, CANCELLED)
  completionQueues.put(slot)
}

function drain(drainer: Member): void {
  for (let slot = drainer.queue.seize(); slot !== undefined; slot = drainer.queue.seize()) cancel(drainer, slot)
}

/** What `shutdownNow` comes down to: see ThreadPoolExecutor.shutdownNow. Whether the pool may end then. */
const stopper =
  (guest: Guest) =>
  (shared: PoolModel): boolean => {
    const opened = enter(shared, guest)
    const endings = new Endings(opened.memory, COMPLETION_QUEUES[guest])
    endings.begin()
    opened.memory.state.control.advanceTo(STOP)
    drain(opened)
    endings.end()
    return mayEnd(opened.memory, opened.queue.isEmpty)
  }

/** The guest takes one task by the queue, and cancels it. */
const poller = (shared: PoolModel): void => {
  const opened = enter(shared, "guest")
  const slot = opened.queue.take()
  if (slot !== undefined) cancel(opened, slot)
}

/** The guest removes task 1, which is another thread's. */
const remover = (shared: PoolModel): void => {
  const opened = enter(shared, "guest")
  if (opened.queue.remove(1)) cancel(opened, 1)
}

/** Looks for a task once, and completes what it gets. */
const worker = (shared: PoolModel): void => {
  const { queue, workerTable, tasks, completionQueues } = member(shared, "a", 1)
  const self = workerTable.at(1)
  const slot = queue.poll()
  if (slot === undefined) return
  self.accept(slot)
  assert.ok(tasks.leaveNew(slot, COMPLETING), "it is over already")
  add(shared.notes, RUNS + slot, 1)
  tasks.settle(slot, NORMAL)
  completionQueues.put(slot)
  self.release()
}

/** The last worker asks whether the pool may end. If so, each task is in its box, or its submitter finds that it is lost. */
const leaver = (shared: PoolModel): void => {
  const { memory, queue, tasks, completionQueues, threadContext } = member(shared, "other")
  if (!mayEnd(memory, queue.isEmpty)) return
  for (let slot = 1; slot <= memory.capacity; slot++) {
    const taker = tasks.takerOf(slot)
    const isLost = taker !== 0 && !threadContext.registry.isAlive(taker)
    assert.ok(completionQueues.contains(slot) || isLost, `task ${slot} is under way, and the pool ends`)
  }
}

/** What the owner does when a thread that is no worker has died: see PoolOwner.serve. */
function inherit(shared: PoolModel): void {
  const owner = enter(shared, "owner")
  const { memory, tasks, queue, workerTable } = owner
  new Endings(memory, COMPLETION_QUEUES.owner).inherit(({ claims, ends }) => {
    for (const slot of claims) if (isOrphan(slot, memory, tasks, queue, workerTable)) queue.restore(slot)
    if (ends && memory.state.control.snapshot >= STOP) drain(owner)
  })
}

function reap(shared: PoolModel, thread: string): void {
  shared.program.reap(thread)
  inherit(shared)
}

/** The submitter looks: each task is heard of once, or is lost, and settled then; or it waits. */
function hear(shared: PoolModel): { arrived: number[]; lost: number[]; waiting: number[] } {
  const { completionQueues, tasks, memory, queue } = member(shared, "s")
  const arrived: number[] = []
  completionQueues.empty(1, (slots) => arrived.push(...slots))
  assert.equal(new Set(arrived).size, arrived.length, "heard of twice")
  const waiting = queue.toArray()
  const taken = new TakenTasks(memory, tasks)
  const lost: number[] = []
  for (let slot = 1; slot <= memory.capacity; slot++) {
    if (arrived.includes(slot)) {
      assert.ok(!waiting.includes(slot), "over, and in the queue")
      assert.ok([CANCELLED, NORMAL].includes(tasks.stateOf(slot)))
    } else if (taken.settleIfLost(slot)) {
      assert.ok(!waiting.includes(slot), "taken, and in the queue")
      assert.ok([CANCELLED, EXCEPTIONAL].includes(tasks.stateOf(slot)))
      lost.push(slot)
    } else if (load(shared.notes, IN_HAND) !== slot) {
      assert.deepEqual([tasks.stateOf(slot), waiting.filter((it) => it === slot)], [NEW, [slot]], "it is nowhere")
    }
  }
  return { arrived, lost, waiting }
}

test("[PP21] a pool ends when all that shutdownNow has taken out is in its box, not before", () =>
  check(50, {
    setup: setup(2),
    threads: { guest: stopper("guest"), other: leaver },
    finally: (shared, { guest }) => {
      assert.equal(guest, true)
      assert.deepEqual(hear(shared).arrived, [1, 2])
    },
  }))

test("[PP21][PP22] also if the thread in shutdownNow dies; then the owner cancels the rest", () =>
  check(200, {
    setup: setup(2),
    threads: { guest: stopper("guest"), other: leaver },
    kill: "guest",
    onKill: reap,
    finally: (shared) => {
      const { memory, queue } = member(shared, "owner")
      const { waiting } = hear(shared)
      if (memory.state.control.snapshot < STOP) return
      assert.deepEqual(waiting, [])
      assert.ok(mayEnd(memory, queue.isEmpty))
    },
  }))

/** A pool that is shut down, with nothing in its queue. A thread has died, and left nothing undone. */
const emptied = (): PoolModel => {
  const shared = setup(1)()
  const owner = enter(shared, "owner")
  drain(owner)
  owner.memory.state.control.advanceTo(SHUTDOWN)
  shared.program.reap("guest")
  return shared
}

const asks =
  (thread: Guest) =>
  (shared: PoolModel): boolean => {
    if (thread === "owner") inherit(shared)
    const { memory, queue } = member(shared, thread)
    return mayEnd(memory, queue.isEmpty)
  }

test("[PP27] the last worker asks whether the pool may end while the owner looks for what the dead have left: one of the two ends it", () =>
  check(20, {
    setup: emptied,
    threads: { other: asks("other"), owner: asks("owner") },
    finally: (_, { other, owner }) =>
      assert.ok(other === true || owner === true, "both were told to wait for the other"),
  }))

test("[PP22] two threads in shutdownNow and a death: each task is cancelled once", () =>
  check(500, {
    setup: setup(2),
    threads: { guest: stopper("guest"), other: stopper("other") },
    kill: "guest",
    onKill: reap,
    ...upTo(1),
    finally: (shared) => {
      const { memory, queue } = member(shared, "owner")
      assert.deepEqual(hear(shared).waiting, [])
      assert.ok(mayEnd(memory, queue.isEmpty))
    },
  }))

test("[PP22] shutdownNow against a worker that takes: each task is run or cancelled", () =>
  check(200, {
    setup: setup(2, "a"),
    threads: { guest: stopper("guest"), a: worker },
    kill: "guest",
    onKill: reap,
    ...upTo(2),
    finally: (shared) => void hear(shared),
  }))

for (const [what, taker] of [
  ["polls", poller],
  ["removes", remover],
] as const) {
  test(`[PP23] a thread that ${what} by the queue of a pool and dies, against a worker: nothing is lost`, () =>
    check(100, {
      setup: setup(1, "a"),
      threads: { guest: taker, a: worker },
      kill: "guest",
      onKill: reap,
      finally: (shared) => void hear(shared),
    }))

  test(`[PP23] a worker that dies, against a thread that ${what}: the task is restored if no thread has it`, () =>
    check(100, {
      setup: setup(1, "a"),
      threads: { guest: taker, a: worker },
      kill: "a",
      onKill: (shared) => {
        const { memory, workerTable, queue, tasks } = member(shared, "owner")
        const dead = workerTable.at(1)
        const { claimed, currentSlot } = dead
        shared.program.reap("a")
        dead.release()
        if (currentSlot !== 0) store(shared.notes, IN_HAND, currentSlot)
        else if (claimed !== 0 && isOrphan(claimed, memory, tasks, queue, workerTable)) queue.restore(claimed)
      },
      finally: (shared) => void hear(shared),
    }))
}
