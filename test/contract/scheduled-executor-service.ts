/**
 * What holds for every ScheduledExecutorService, whatever its threads are and wherever they are: the rules SC of docs/spec/schedule.md that speak of no
 * queue and no policy. In real time: a test knows when a task was due at the earliest, and waits for the rest.
 *
 *     testScheduledExecutorService({ name: "a scheduled pool", open: (factory) => Executors.newScheduledThreadPool(2, factory) })
 */
import {
  CancellationError,
  type Runnable,
  type ScheduledExecutorService,
  type ScheduledFuture,
  type ThreadFactory,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../support/harness.ts"
import { closeAfterwards, ContractLab } from "./executor-service/lab.ts"
import { alive, join, timeOfDay } from "./executor-service/simple-tasks.ts"
import type { WorkKind } from "./executor-service/work.ts"
import { testScheduleEnds } from "./scheduled-executor-service/ending.ts"

export type AnyScheduledExecutorService = ScheduledExecutorService<Runnable[] | Promise<Runnable[]>>

export interface ScheduledExecutorUnderTest {
  readonly name: string
  /** Opens a fresh executor with two threads of this factory. */
  readonly open: (factory: ThreadFactory) => AnyScheduledExecutorService | Promise<AnyScheduledExecutorService>
  readonly work?: WorkKind
  /** By how many milliseconds its clock may differ from that of the test; default 1. */
  readonly tolerance?: number
  /** Whether a cancellation has to travel to where the task runs, so that one more run may begin meanwhile. */
  readonly cancelTravels?: boolean
}

export const HOUR = 3_600_000

/** Two threads, so that a series could overlap itself. */
export class ScheduleLab extends ContractLab {
  readonly #subject: ScheduledExecutorUnderTest

  constructor(subject: ScheduledExecutorUnderTest) {
    super({ ...subject, threads: 2 })
    this.#subject = subject
  }

  async schedules(): Promise<AnyScheduledExecutorService> {
    return (await this.open()) as AnyScheduledExecutorService
  }

  get tolerance(): number {
    return this.#subject.tolerance ?? 1
  }
}

export function testScheduledExecutorService(subject: ScheduledExecutorUnderTest): void {
  closeAfterwards({ ...subject, threads: 2 })
  testOnce(subject)
  testSeries(subject)
  testFutures(subject)
  testScheduleEnds(subject)
}

function testOnce(subject: ScheduledExecutorUnderTest): void {
  const { name } = subject

  test(`[SC4][SC9] ${name}: a task runs once, not early, with its arguments`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const start = Date.now()
    const when = executor.schedule(timeOfDay, 50)
    assert.equal(await executor.schedule(join, 20, 1, "x"), "x1")
    assert.ok((await when) - start >= 50 - lab.tolerance)
    assert.deepEqual([when.isDone, when.isPeriodic, when.nextRunAt], [true, false, undefined])
  })

  test(`[SC4] ${name}: what the task throws is what its future fails with`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const error = new RangeError("own")
    lab.work.assertArrived(await rejectionOf(executor.schedule(lab.work.rejecting(error), 5)), error)
    lab.work.assertArrived(await rejectionOf(executor.schedule(lab.work.throwing(error), 5)), error)
  })

  test(`[SC6] ${name}: no delay, and less than none, means at once, but not inside the call`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const futures: ScheduledFuture<unknown>[] = []
    {
      using _held = lab.work.holdThreads()
      for (const delay of [0, -1, -Infinity]) futures.push(executor.schedule(notes.task(String(delay)), delay))
      assert.deepEqual([futures.map(({ isDone }) => isDone), notes.texts], [[false, false, false], []])
    }
    await Promise.all(futures)
    assert.deepEqual(notes.texts.toSorted(), ["-1", "-Infinity", "0"])
  })

  test(`[SC7] ${name}: what is never due, or in years, is in nobody's way`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const never = executor.schedule(alive, Infinity)
    const years = executor.schedule(alive, 5 * 365 * 24 * HOUR)
    assert.equal(await executor.schedule(alive, 0.5), "alive")
    assert.deepEqual([never.state, years.state, never.nextRunAt], ["running", "running", undefined])
    assert.deepEqual([never.cancel(), years.cancel()], [true, true])
  })

  test(`[SC8] ${name}: runs follow the due times, not the order of scheduling`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const late = executor.schedule(notes.task("late"), HOUR)
    await executor.schedule(notes.task("soon"), 20)
    assert.deepEqual([notes.texts, late.state], [["soon"], "running"])
    late.cancel()
  })

  test(`[SC10] ${name}: what is no task or no time is refused, and leaves no trace`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    assert.throws(() => executor.schedule(5 as never, 5), TypeError)
    assert.throws(() => executor.schedule(alive, "5" as never), TypeError)
    assert.throws(() => executor.schedule(alive, NaN), RangeError)
    assert.throws(() => executor.scheduleAtFixedRate(alive, 0, 0), RangeError)
    assert.throws(() => executor.scheduleWithFixedDelay(alive, 0, -1), RangeError)
    await executor.close()
  })
}

function testSeries(subject: ScheduledExecutorUnderTest): void {
  const { name } = subject
  for (const kind of ["scheduleAtFixedRate", "scheduleWithFixedDelay"] as const) {
    test(`[SC11][SC12][SC14] ${name}: ${kind} runs the task again and again, with its arguments`, async () => {
      await using lab = new ScheduleLab(subject)
      const executor = await lab.schedules()
      const notes = lab.work.notes()
      const [fn, ...args] = notes.call("run")
      const future = executor[kind](fn as (...args: unknown[]) => unknown, 5, 20, ...(args as unknown[]))
      await eventually(() => notes.texts.length >= 3)
      assert.deepEqual([future.isPeriodic, future.state], [true, "running"])
      assert.equal(future.cancel(), true)
    })

    test(`[SC15] ${name}: ${kind} never overlaps itself, though threads are idle`, async () => {
      await using lab = new ScheduleLab(subject)
      const executor = await lab.schedules()
      const gate = lab.work.gate()
      const future = executor[kind](gate.body, 0, 5)
      await gate.entered()
      const start = Date.now()
      await eventually(() => Date.now() - start > 30)
      await gate.noticed()
      assert.equal(gate.entries, 1)
      gate.open()
      await gate.entered(3)
      assert.equal(gate.most, 1)
      future.cancel()
    })

    test(`[SC17] ${name}: an error ends ${kind}, and the future fails with it`, async () => {
      await using lab = new ScheduleLab(subject)
      const executor = await lab.schedules()
      const error = new RangeError("own")
      const future = executor[kind](lab.work.throwing(error), 5, 5)
      lab.work.assertArrived(await rejectionOf(future), error)
      assert.deepEqual([future.state, future.nextRunAt], ["failed", undefined])
    })
  }

  test(`[SC13] ${name}: runs of a fixed rate that came too late are made up for`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const gate = lab.work.gate()
    const start = Date.now()
    const future = executor.scheduleAtFixedRate(gate.body, 0, 10)
    await gate.entered()
    await eventually(() => Date.now() - start > 100)
    gate.open()
    await gate.entered(8)
    future.cancel()
  })

  test(`[SC18][SC26][SC29] ${name}: a series that is cancelled, before or between its runs, has no more`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const before = executor.scheduleAtFixedRate(notes.task("before"), HOUR, HOUR)
    const between = executor.scheduleAtFixedRate(notes.task("between"), 0, HOUR)
    await eventually(() => notes.texts.length === 1)
    const waits = [rejectionOf(before), rejectionOf(between)]
    assert.deepEqual([before.cancel(), before.cancel(), between.cancel(true)], [true, false, true])
    for (const wait of waits) assert.ok((await wait) instanceof CancellationError)
    await executor.close()
    assert.deepEqual(notes.texts, ["between"])
  })

  test(`[CR5] ${name}: a calendar comes true`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const [fn, ...args] = notes.call("second")
    const every = executor.scheduleCron(fn, "* * * * * *", { timezone: "UTC" }, ...args)
    assert.equal(every.isPeriodic, true)
    await eventually(() => notes.texts.length >= 2)
    assert.equal(every.cancel(), true)
  })
}

function testFutures(subject: ScheduledExecutorUnderTest): void {
  const { name } = subject

  test(`[SC21][SC22][SC23] ${name}: a future shows when its next run is due`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const once = executor.schedule(alive, HOUR)
    const rate = executor.scheduleAtFixedRate(alive, HOUR, 2 * HOUR)
    await executor.schedule(alive, 0)
    for (const future of [once, rate]) {
      assert.ok(future.delay <= HOUR + lab.tolerance && future.delay > HOUR / 2)
      const next = future.nextRunAt?.getTime() ?? NaN
      assert.ok(Math.abs(next - Date.now() - HOUR) < HOUR / 2)
    }
    assert.deepEqual([once.isPeriodic, rate.isPeriodic], [false, true])
    assert.deepEqual([once.cancel(), rate.cancel()], [true, true])
    assert.deepEqual([once.nextRunAt, rate.nextRunAt], [undefined, undefined])
  })

  test(`[SC23] ${name}: while it runs, the next run is known of a fixed rate alone`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const gate = lab.work.gate()
    const rate = executor.scheduleAtFixedRate(gate.body, 0, HOUR)
    const delay = executor.scheduleWithFixedDelay(gate.body, 0, HOUR)
    await gate.entered(2)
    await eventually(() => delay.nextRunAt === undefined)
    assert.ok(Math.abs((rate.nextRunAt?.getTime() ?? NaN) - Date.now() - HOUR) < HOUR / 2)
    assert.ok(rate.delay <= lab.tolerance && delay.delay <= lab.tolerance)
  })

  test(`[SC30] ${name}: a run under way goes on if it is cancelled, interrupted or not, and is the last`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const [left, interrupted] = [lab.work.gate(), lab.work.gate()]
    const period = subject.cancelTravels === true ? HOUR : 5
    const first = executor.scheduleAtFixedRate(left.interruptible, 0, period)
    const second = executor.scheduleAtFixedRate(interrupted.yielding, 0, period)
    await Promise.all([left.entered(), interrupted.entered()])
    assert.deepEqual([first.cancel(false), second.cancel(true)], [true, true])
    assert.deepEqual([first.state, second.state], ["cancelled", "cancelled"])
    await eventually(() => interrupted.interrupted === 1)
    assert.equal(await left.noticed(), 0)
    left.open()
    interrupted.open()
    await executor.close()
    assert.deepEqual([left.entries, left.interrupted, interrupted.entries], [1, 0, 1])
  })

  test(`[SC26] ${name}: what is cancelled before it is due never runs, and what has run cannot be cancelled`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const gate = lab.work.gate()
    await lab.occupy(executor, gate) // no thread can begin the task before it is cancelled, however long this one is held up
    const early = executor.schedule(notes.task("early"), 40)
    assert.deepEqual([early.cancel(), early.cancel(), early.state], [true, false, "cancelled"])
    gate.open()
    const done = executor.schedule(notes.task("done"), 60)
    await done
    assert.equal(done.cancel(), false)
    assert.deepEqual(notes.texts, ["done"])
  })

  test(`[SC32] ${name}: a wait for a task can be given up without effect on it`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const gate = lab.work.gate()
    await lab.occupy(executor, gate)
    const future = executor.schedule(alive, 30)
    assert.ok((await rejectionOf(future.get(1))) instanceof TimeoutError)
    await turns(1)
    gate.open()
    assert.equal(await future, "alive")
  })
}
