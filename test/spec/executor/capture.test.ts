/** with({ capture }), on both kinds of threads. Ids such as [OC3] refer to docs/spec/executor.md. */
import {
  AtomicInteger,
  CountDownLatch,
  type ExecutorService,
  Executors,
  FutureTask,
  platformThreads,
  ThreadDeathError,
  type ThreadFactory,
  TimeoutError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, rejectionOf } from "../../support/harness.ts"

const KINDS: readonly (readonly [string, () => ThreadFactory])[] = [
  ["virtual", virtualThreads],
  ["platform", platformThreads],
]

/** Writes, and waits until it is told to write again. */
async function writeAndWait(go: CountDownLatch): Promise<void> {
  console.log("before")
  await go.await()
  console.log("after")
}

function write(text: string): void {
  process.stdout.write(text)
}

for (const [kind, factory] of KINDS) {
  test(`[OC3] the output so far can be read while a task runs on a ${kind} thread`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const go = new CountDownLatch(1)
    const future = pool.with({ capture: true }).submit(writeAndWait, go)
    await eventually(() => future.output?.stdout === "before\n")
    assert.equal(future.isDone, false)
    go.countDown()
    await future
    assert.deepEqual(future.output, { stdout: "before\nafter\n", stderr: "" })
    assert.deepEqual(future.output, { stdout: "before\nafter\n", stderr: "" })
  })

  test(`[OC4] a task that is cancelled or out of time on a ${kind} thread has what it has written`, async () => {
    await using pool = Executors.newFixedThreadPool(2, factory())
    const view = pool.with({ capture: true })
    const go = new CountDownLatch(1)
    const cancelled = view.submit(writeAndWait, go)
    await eventually(() => cancelled.output?.stdout === "before\n")
    cancelled.cancel(false)
    assert.equal(cancelled.output?.stdout, "before\n")
    go.countDown()
    await eventually(() => cancelled.output?.stdout === "before\nafter\n")
    const late = view.submit(writeAndWait, new CountDownLatch(1))
    await eventually(() => late.output?.stdout === "before\n")
    assert.ok((await rejectionOf(late.orTimeout(1))) instanceof TimeoutError)
    assert.deepEqual(late.output, { stdout: "before\n", stderr: "" })
    pool.pause()
    const never = view.submit(write, "never")
    never.cancel()
    pool.resume()
    assert.deepEqual(never.output, { stdout: "", stderr: "" })
  })

  test(`[OC5] output on a ${kind} thread is cut at the limit, between two characters`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    for (const [limit, kept] of [
      [10, "äääää"],
      [11, "ääääää".slice(0, 5)],
      [30_000, "ä".repeat(15_000)],
    ] as const) {
      const future = pool.with({ capture: { limit } }).submit(write, "ä".repeat(20_000))
      await future
      const { stdout = "", stderr } = future.output ?? {}
      assert.equal(stdout.slice(0, kept.length), kept)
      assert.match(stdout.slice(kept.length), /^\n\[cut by corepool: the output has more than \d+ bytes\]\n$/)
      assert.equal(stderr, "")
    }
    const both = pool.with({ capture: { limit: 8 } }).submit(() => {
      process.stdout.write("four")
      process.stderr.write("threeMore")
      process.stdout.write("nothing")
    })
    await both
    const note = "\n[cut by corepool: the output has more than 8 bytes]\n"
    assert.deepEqual(both.output, { stdout: `four${note}`, stderr: `thr${note}` })
    const whole = pool.with({ capture: { limit: 9 } }).submit(write, "all of it")
    await whole
    assert.equal(whole.output?.stdout, "all of it")
  })

  test(`[OC7] a program's own FutureTask is not captured on a ${kind} thread`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const own = new FutureTask(() => 1)
    pool.with({ capture: true }).execute(own)
    assert.equal(await own, 1)
    assert.equal(own.output, undefined)
  })

  test(`[OC8] with retry the output is that of the last attempt on a ${kind} thread`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const runs = new AtomicInteger(0)
    const future = pool.with({ capture: true, retry: { attempts: 3, delay: 1 } }).submit((count: AtomicInteger) => {
      const run = count.incrementAndGet()
      console.log("attempt", run)
      if (run < 3) throw new Error("again")
    }, runs)
    await future
    assert.deepEqual([future.attempts, future.output], [3, { stdout: "attempt 3\n", stderr: "" }])
  })

  test(`[OC8] of a schedule it is the output of the latest run on a ${kind} thread`, async () => {
    await using pool = Executors.newScheduledThreadPool(1, factory())
    const view = pool.with({ capture: true })
    const once = view.schedule(write, 1, "once")
    await once
    assert.equal(once.output?.stdout, "once")
    const runs = new AtomicInteger(0)
    const again = view.scheduleWithFixedDelay(
      (count: AtomicInteger) => {
        const run = count.incrementAndGet()
        console.log("run", run)
        if (run === 5) throw new Error("enough")
      },
      0,
      1,
      runs,
    )
    await rejectionOf(again)
    assert.equal(again.output?.stdout, "run 5\n")
    const cron = view.scheduleCron(write, "* * * * * *", {}, "by the calendar")
    await eventually(() => cron.output?.stdout === "by the calendar")
    cron.cancel()
  })

  test(`[OC10] bytes, encodings and callbacks are treated as the streams do on a ${kind} thread`, async () => {
    await using pool = Executors.newFixedThreadPool(1, factory())
    const future = pool.with({ capture: true }).submit(async () => {
      const euro = new TextEncoder().encode("€")
      process.stdout.write(euro.subarray(0, 1))
      process.stderr.write("between")
      process.stdout.write(euro.subarray(1))
      process.stdout.write("6869", "hex")
      process.stdout.write(new Uint8Array([0xff, 0xfe, 0xc3, 0x21]))
      const isTaken = await new Promise<boolean>((resolve) => {
        const result = process.stdout.write("!", () => resolve(result))
      })
      let error: unknown
      try {
        process.stdout.write(5 as never)
      } catch (thrown) {
        error = thrown
      }
      return [isTaken, (error as Error).name]
    })
    assert.deepEqual(await future, [true, "TypeError"])
    assert.deepEqual(future.output, { stdout: "€hi\ufffd\ufffd\ufffd!!", stderr: "between" })
  })

  test(`[OC1] [OC2] what is captured is not printed, and the rest is, on a ${kind} thread`, async () => {
    const { code, stdout, stderr } = await runProgram(`
      import { CountDownLatch, Executors, ${kind}Threads } from "corepool"
      const pool = Executors.newFixedThreadPool(2, ${kind}Threads())
      const go = new CountDownLatch(1)
      const left = new CountDownLatch(1)
      const captured = pool.with({ capture: true }).submit(async (go, left) => {
        console.log("captured")
        setTimeout(() => {
          console.log("left behind")
          left.countDown()
        }, 1)
        await go.await()
        console.error("captured too")
      }, go, left)
      await pool.submit(() => console.log("another task"))
      console.log("the program")
      while (captured.output.stdout !== "captured\\nleft behind\\n") await new Promise((resolve) => setTimeout(resolve))
      const after = new CountDownLatch(1)
      go.countDown()
      await captured
      const end = pool.with({ capture: true }).submit((after) => {
        console.log("at the end")
        setTimeout(() => { console.log("after the end"); after.countDown() }, 1)
      }, after)
      await end
      const other = pool.with({ capture: true }).submit(async (after) => await after.await(), after)
      await other
      pool.with({ capture: true }).execute(() => console.log("dropped"))
      for await (const _ of pool.with({ capture: true }).map(() => console.log("dropped"), [1, 2])) {}
      await pool.with({ capture: true }).invokeAny([() => console.log("dropped")])
      console.error(JSON.stringify([captured.output, end.output, other.output]))
      await pool.close()`)
    assert.deepEqual([code, stdout], [0, "another task\nthe program\nafter the end\n"])
    assert.deepEqual(JSON.parse(stderr), [
      { stdout: "captured\nleft behind\n", stderr: "captured too\n" },
      { stdout: "at the end\n", stderr: "" },
      { stdout: "", stderr: "" },
    ])
  })
}

test("[OC2] a task that a captured task submits to a virtual thread is not captured with it", async () => {
  await using pool = Executors.newFixedThreadPool(2, virtualThreads())
  const outer = pool.with({ capture: true }).submit(async () => {
    const inner = pool.with({ capture: true }).submit(async () => console.log("inner"))
    await inner
    await Promise.resolve().then(() => console.log("outer"))
    return inner.output
  })
  assert.deepEqual(await outer, { stdout: "inner\n", stderr: "" })
  assert.deepEqual(outer.output, { stdout: "outer\n", stderr: "" })
})

test("[OC4] a task whose thread dies, or is terminated, has what it has written", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 20 }))
  const view = pool.with({ capture: true })
  const dead = view.submit(() => {
    console.log("last words")
    process.exit(3)
  })
  assert.ok((await rejectionOf(dead)) instanceof ThreadDeathError)
  assert.deepEqual(dead.output, { stdout: "last words\n", stderr: "" })
  const endless = view.submit(() => {
    console.error("on and on")
    for (;;);
  })
  await eventually(() => endless.output?.stderr === "on and on\n")
  endless.cancel(true)
  assert.equal(await pool.submit(() => "its thread is replaced"), "its thread is replaced")
  assert.deepEqual(endless.output, { stdout: "", stderr: "on and on\n" })
})

test("[OC6] wrong values are refused with errors that name them", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const by = (capture: unknown) => () => pool.with({ capture: capture as boolean })
  for (const capture of [1, "yes", null, () => true])
    assert.throws(by(capture), /TypeError: Expected `capture` to be a bo/)
  assert.throws(by({ limits: 1 }), /Unknown option `limits` of `capture`: did you mean `limit`/)
  for (const limit of [0, 1.5, 2 ** 30 + 1, NaN]) {
    assert.throws(by({ limit }), /RangeError: Expected `capture.limit` to be an integer from 1 to/)
  }
  assert.throws(by({ limit: "1" }), TypeError)
})

test("[OC9] a view can be sent to another thread", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const output = await pool.submit(
    async (view: ExecutorService) => {
      const future = view.submit((text: string) => console.log(text), "from within")
      await future
      return future.output
    },
    pool.with({ capture: { limit: 8 } }),
  )
  assert.deepEqual(output?.stdout, "from wit\n[cut by corepool: the output has more than 8 bytes]\n")
})

test("[OC11] without a captured task nothing is replaced; threads print directly also after one", async () => {
  const { code, stdout } = await runProgram(`
    import { Executors, platformThreads, virtualThreads } from "corepool"
    const { write } = process.stdout
    const { log } = console
    const small = Executors.newFixedThreadPool(1, virtualThreads())
    await small.with({ name: "plain" }).submit(() => 1)
    console.log(process.stdout.write === write, console.log === log)
    await small.with({ capture: true }).submit(() => console.log("captured"))
    const pool = Executors.newFixedThreadPool(1)
    pool.submit(() => console.log("printed while the program blocks")).getSync()
    process.stdout.write("after that\\n")
    await Promise.all([small.close(), pool.close()])`)
  assert.deepEqual([code, stdout], [0, "true true\nprinted while the program blocks\nafter that\n"])
})

test("[OC12] a program that replaces `write` sees what is not captured", async () => {
  const { code, stderr } = await runProgram(`
    import { Executors, virtualThreads } from "corepool"
    const seen = []
    const replace = (name) => {
      process.stdout.write = (text) => {
        seen.push(name + " " + text)
        return true
      }
    }
    replace("before")
    const pool = Executors.newFixedThreadPool(1, virtualThreads())
    const view = pool.with({ capture: true })
    const first = view.submit(() => process.stdout.write("1"))
    await first
    process.stdout.write("2")
    replace("after")
    process.stdout.write("3")
    const second = view.submit(() => process.stdout.write("4"))
    await second
    process.stdout.write("5")
    await pool.close()
    console.error(JSON.stringify([seen, first.output.stdout, second.output.stdout]))`)
  assert.deepEqual([code, JSON.parse(stderr)], [0, [["before 2", "after 3", "after 5"], "1", "4"]])
})

test("[OC13] thousands of futures are kept without their memory", async () => {
  await using pool = Executors.newFixedThreadPool(4, virtualThreads())
  const view = pool.with({ capture: true })
  const futures = []
  for (let i = 0; i < 40_000; i++) {
    futures.push(view.submit(write, `${i}`))
    if (i % 1000 === 0) await futures.at(-1)
  }
  await Promise.all(futures)
  assert.ok(futures.every((future, i) => future.output?.stdout === `${i}`))
})

test("[OC13] too many tasks at once are refused, unless their limit is small", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const go = new CountDownLatch(1)
  using _ = { [Symbol.dispose]: () => go.countDown() }
  const view = pool.with({ capture: true })
  const futures = [view.submit(writeAndWait, go)]
  const submitAll = (): void => {
    while (futures.length < 20_000) futures.push(view.submit(writeAndWait, go))
  }
  assert.throws(submitAll, /RejectedExecutionError: The output of 16384 tasks/)
  // Outputs of other tests, whose threads have died, count until they are collected.
  assert.ok(futures.length > 16_300 && futures.length <= 16_384, `${futures.length}`)
  const small = pool.with({ capture: { limit: 16_384 } }).submit(write, "small")
  go.countDown()
  await Promise.all(futures)
  await small
  assert.equal(small.output?.stdout, "small")
  assert.equal(await view.submit(() => "room again"), "room again")
})

test("[OC14] an executor of corepool/virtual alone refuses it", async () => {
  const { code, stdout } = await runProgram(`
    import { newFixedThreadPool } from "corepool/virtual"
    try {
      newFixedThreadPool(1).with({ capture: true })
    } catch (error) {
      console.log(error.name + ": " + error.message)
    }`)
  const message = "UnsupportedOperationError: `capture` needs `corepool`, and does not work in a page\n"
  assert.deepEqual([code, stdout], [0, message])
})
