/** A scheduled pool and the process it lives in. Ids such as [SC56] refer to docs/spec/schedule.md. */
import { FutureTask } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, turns } from "../../support/harness.ts"
import { runProgram } from "../../support/child.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { type Kind, kinds, pass, Schedules } from "./support.ts"

const preamble = (kind: Kind): string => `
  import { ScheduledThreadPoolExecutor, platformThreads, virtualThreads } from "corepool"
  const open = (corePoolSize = 1) => new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory: ${kind}Threads() })
  const HOUR = 3_600_000
`

/** What a program printed that ended by itself and well, sorted: pools do not wait for each other. */
async function printed(program: string, kind: Kind = "virtual"): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(preamble(kind) + program)
  assert.deepEqual([code, stderr], [0, ""])
  return stdout.split("\n").slice(0, -1).sort()
}

test("[SC56] a process whose only prospect is a scheduled run lives until it has run", async () => {
  const lines = await printed(`
    open(1).schedule(() => console.log("with a thread"), 5)
    open(0).schedule(() => console.log("without core threads"), 10)
    const third = open(2)
    third.schedule(() => third.schedule(() => console.log("in two steps"), 10), 10)
  `)
  assert.deepEqual(lines, ["in two steps", "with a thread", "without core threads"])
})

test("[SC56] and one with a series until the series ends", async () => {
  const lines = await printed(`
    let runs = 0
    const series = open().scheduleAtFixedRate(() => {
      console.log("run")
      if (++runs === 3) series.cancel()
    }, 1, 2)
    open().scheduleWithFixedDelay(() => {
      console.log("delay")
      throw new Error("own")
    }, 20, 1)
  `)
  assert.deepEqual(lines, ["delay", "run", "run", "run"])
})

test("[SC56] also after shutdown, and with a live task behind a cancelled one", async () => {
  const lines = await printed(`
    const shut = open()
    shut.schedule(() => console.log("after shutdown"), 5)
    shut.shutdown()
    const pool = open()
    const first = pool.schedule(() => console.log("never"), 2)
    first.cancel()
    pool.schedule(() => console.log("behind"), 15)
  `)
  assert.deepEqual(lines, ["after shutdown", "behind"])
})

test("[SC57] a process whose scheduled pools are idle ends, shut down or not", async () => {
  const lines = await printed(`
    open(3)
    open(3).prestartAllCoreThreads()
    const used = open(2)
    used.allowCoreThreadTimeOut = true
    used.keepAliveTime = HOUR
    await Promise.all([used.submit(() => 1), used.schedule(() => 2, 2)])
    const empty = open(0)
    empty.keepAliveTime = HOUR
    console.log(await empty.schedule(() => "done", 1))
  `)
  assert.deepEqual(lines, ["done"])
})

test("[SC57] so does one whose scheduled tasks are all cancelled or removed, or never due", async () => {
  const lines = await printed(`
    for (const core of [0, 1, 2]) {
      const pool = open(core)
      pool.schedule(() => undefined, HOUR).cancel()
      const removed = pool.schedule(() => undefined, 2 * HOUR)
      pool.remove(removed)
      pool.schedule(() => undefined, Infinity)
      const series = pool.scheduleAtFixedRate(() => series.cancel(), 0, HOUR)
      const other = open(core)
      const later = [1, 2, 3].map((hours) => other.scheduleWithFixedDelay(() => undefined, hours * HOUR, HOUR))
      setTimeout(() => later.forEach((future) => future.cancel()), 2)
      const patient = open(core)
      patient.keepAliveTime = HOUR
      patient.allowCoreThreadTimeOut = true
      for (const hours of [1, 2]) patient.schedule(() => undefined, hours * HOUR).cancel()
      const purged = open(core)
      purged.schedule(() => undefined, HOUR).cancel()
      purged.purge()
    }
    console.log("end of the program")
  `)
  assert.deepEqual(lines, ["end of the program"])
})

test("[SC58] after shutdown even a cancelled task that waits keeps the process alive: with it comes the end of the pool", async () => {
  const lines = await printed(`
    const pool = open()
    const future = pool.schedule(() => console.log("never"), 10)
    pool.shutdown()
    future.cancel()
    console.log(await pool.awaitTermination())
  `)
  assert.deepEqual(lines, ["true"])
})

test("[SC56][SC58] on platform threads too a program lives while a run is ahead, shut down or not", async () => {
  const lines = await printed(
    `
    open(1).schedule((text) => console.log(text), 5, "once")
    open(0).scheduleAtFixedRate(() => {
      console.log("series")
      throw new Error("own")
    }, 5, 5)
    const shut = open(1)
    shut.schedule((text) => console.log(text), 50, "after shutdown")
    shut.shutdown()
    const outer = open(1)
    outer.execute((pool) => void pool.schedule((text) => console.log(text), 30, "from inside"), outer)
    `,
    "platform",
  )
  assert.deepEqual(lines, ["after shutdown", "from inside", "once", "series"])
})

test("[SC57] on platform threads too it ends if what waits is cancelled, removed or never due, or dropped at shutdown", async () => {
  const lines = await printed(
    `
    open(2)
    for (const core of [0, 1]) {
      const pool = open(core)
      pool.schedule(() => undefined, HOUR).cancel()
      pool.remove(pool.schedule(() => undefined, HOUR))
      pool.schedule(() => undefined, Infinity)
      await pool.submit(() => undefined)
      const series = pool.scheduleAtFixedRate(() => undefined, 0, 1)
      setTimeout(() => series.cancel(), 5)
    }
    const dropped = open(1)
    dropped.executeExistingDelayedTasksAfterShutdown = false
    dropped.schedule(() => undefined, HOUR)
    dropped.scheduleWithFixedDelay(() => undefined, HOUR, HOUR)
    dropped.shutdown()
    console.log("end of the program", await dropped.awaitTermination())
    `,
    "platform",
  )
  assert.deepEqual(lines, ["end of the program true"])
})

for (const kind of kinds) {
  const end = `process.on("exit", () => console.log("end"))`

  test(`[SC85] ${kind} threads: a program that has unref'd schedules alone ends`, async () => {
    const lines = await printed(
      `
      ${end}
      const pool = open(2)
      const futures = [
        pool.schedule(() => console.log("never"), HOUR),
        pool.scheduleAtFixedRate(() => undefined, 0, HOUR),
        pool.scheduleWithFixedDelay(() => undefined, 0, 1),
        pool.scheduleCron(() => undefined, "* * * * * *"),
        pool.schedule(() => undefined, Infinity),
      ]
      console.log(futures.every((future) => future.unref() === future && future.unref().ref() === future))
      for (const future of futures) future.unref()
      `,
      kind,
    )
    assert.deepEqual(lines, ["end", "true"])
  })

  test(`[SC85] ${kind} threads: unref'd schedules run while the program lives; with ref it lives for them again`, async () => {
    const lines = await printed(
      `
      ${end}
      const pool = open(2)
      const series = pool.scheduleAtFixedRate(() => undefined, 0, 1).unref()
      const calendar = pool.scheduleCron(() => undefined, "* * * * * *").unref()
      const once = pool.schedule(() => "once", 5).unref().ref()
      console.log(await once)
      const beats = pool.completedTaskCount
      const again = setInterval(() => {
        if (pool.completedTaskCount < beats + 3) return
        clearInterval(again)
        console.log("went on")
        series.ref() // from here on the series alone keeps the program alive
        pool.schedule(() => undefined, 20).unref().then(() => {
          console.log("lived on")
          series.cancel()
          series.unref().ref()
        })
      }, 1)
      `,
      kind,
    )
    assert.deepEqual(lines, ["end", "lived on", "once", "went on"])
  })

  test(`[SC85] ${kind} threads: after shutdown the program lives until the pool has ended`, async () => {
    const lines = await printed(
      `
      const pool = open()
      pool.schedule(() => undefined, 10).unref()
      pool.shutdown()
      console.log(await pool.awaitTermination())
      `,
      kind,
    )
    assert.deepEqual(lines, ["true"])
  })
}

test("[SC86] a pool of platform threads whose tasks are unref'd lives for tasks of tasks, and no longer", async () => {
  const lines = await printed(
    `
    const pool = open()
    pool.schedule(() => console.log("never"), HOUR).unref()
    await pool.submit((pool) => void pool.schedule((text) => console.log(text), 30, "from inside"), pool)
    `,
    "platform",
  )
  assert.deepEqual(lines, ["from inside"])
})

test("[SC57] what keeps the process alive is one timer, and it is there only while a run is ahead", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open(2)
  const first = pool.schedule(() => undefined, 10)
  const second = pool.schedule(() => undefined, 20)
  await turns()
  assert.deepEqual([clock.ticking, clock.foreground], [1, 1])
  first.cancel()
  await turns()
  assert.deepEqual([clock.ticking, clock.foreground], [1, 1])
  second.cancel()
  await turns()
  assert.deepEqual([clock.ticking, clock.foreground], [1, 0])
  const third = pool.schedule(() => undefined, 30)
  await turns()
  assert.deepEqual([clock.ticking, clock.foreground], [1, 1])
  await pass(clock, 35)
  assert.deepEqual([third.isDone, clock.ticking], [true, 0])
})

test("[SC59] an idle pool keeps nothing of a task in memory that is over, or was cancelled and purged or removed", async () => {
  await using pools = new Schedules()
  const pool = pools.open(2)
  const far = pool.schedule(() => undefined, 1_000_000)
  const weak: WeakRef<object>[] = []
  const watch = <T extends object>(object: T): T => {
    weak.push(new WeakRef(object))
    return object
  }
  // In a function of its own: this test's own variables would keep things alive.
  const give = (): void => {
    pool.schedule(
      watch(() => watch({ result: "of a task" })),
      1,
    )
    pool.schedule(
      watch(() => Promise.reject(watch(new Error("of a task")))),
      1,
    )
    const series = watch(
      pool.scheduleAtFixedRate(
        watch(async () => void series.cancel()),
        1,
        1,
      ),
    )
    watch(
      pool.schedule(
        watch(() => undefined),
        100_000,
      ),
    ).cancel()
    pool.remove(
      watch(
        pool.schedule(
          watch(() => undefined),
          100_000,
        ),
      ),
    )
    pool.execute(watch(new FutureTask(watch(() => undefined))))
  }
  for (let i = 0; i < 4; i++) give()
  await eventually(() => pool.queue.size === 5 && pool.activeCount === 0)
  pool.purge()
  await turns()
  assert.ok(weak.length > 40)
  await eventually(() => {
    collectGarbage()
    return weak.every((reference) => reference.deref() === undefined)
  })
  assert.deepEqual(pool.queue.toArray(), [far])
})
