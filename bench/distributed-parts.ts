/** What is measured, part by part. */
import { once } from "node:events"
import { CancellationError } from "corepool"
import { DistributedExecutor } from "corepool/distributed"
import { BRIEF_LOCK, CONCURRENCY, engineOf } from "./distributed-place.ts"
import {
  Bench,
  burstOf,
  inTurn,
  median,
  percentile,
  repeat,
  type Row,
  startByHand,
  timed,
} from "./distributed-stand.ts"
import * as tasks from "./tasks/distributed.ts"

export async function throughput(given: Bench): Promise<Row[]> {
  await using bench = given
  const { burst, rounds } = bench.sizes
  const hand = await startByHand(bench)
  await bench.node()
  const [ours, results, counted] = await inTurn(
    rounds,
    () => burstOf(bench.fleet, burst),
    () => timed(() => hand.resultsOf(burst)),
    () => timed(() => hand.countDown(burst)),
  )
  await hand.close()
  const perSecond = (ms: number): number => (burst / ms) * 1000
  const what = `throughput, ${burst} tasks that do nothing`
  const late = hand.lookedUp === 0 ? "" : `; ${hand.lookedUp} events were lost and the results looked up`
  return [
    bench.row(what, perSecond(ours), "tasks/s", {
      byHand: perSecond(results),
      rival: `addBulk, results by one QueueEvents, kept for an hour${late}`,
      target: "≥ 0.8×",
    }),
    bench.row(what, perSecond(ours), "tasks/s", {
      byHand: perSecond(counted),
      rival: "addBulk and counting only: no results, nothing kept",
    }),
  ]
}

export async function roundTrip(given: Bench): Promise<Row[]> {
  await using bench = given
  const { trips, rounds } = bench.sizes
  const hand = await startByHand(bench)
  await bench.node()
  const [ours, theirs] = await inTurn(
    rounds,
    async () => median(await repeat(trips, () => timed(() => bench.fleet.submit(tasks.add, 1, 1)))),
    async () => median(await repeat(trips, () => timed(() => hand.add()))),
  )
  await hand.close()
  return [
    bench.row("round trip, one at a time, p50", ours, "ms", {
      byHand: theirs,
      rival: "add, result by QueueEvents, kept for an hour",
      target: "≤ 1.3×",
    }),
  ]
}

/** From `cancel(true)` here until the job has ended on the node, and another process is told so. */
export async function cancelling(given: Bench): Promise<Row[]> {
  await using bench = given
  await bench.node()
  await using watcher = new DistributedExecutor({ name: "distributed-cancel", engine: engineOf(bench.url), tasks })
  const times = await repeat(bench.sizes.cancels, async () => {
    const future = bench.fleet.submit(tasks.endless)
    await future.stored
    const seen = watcher.future(future.id)
    while ((await bench.fleet.stats()).active === 0);
    return await timed(async () => {
      future.cancel(true)
      await seen.get().catch((error: unknown) => {
        if (!(error instanceof CancellationError)) throw error
      })
    })
  })
  return [
    bench.row("remote cancel, p50", median(times), "ms", { target: "< 50 ms" }),
    bench.row("remote cancel, p95", percentile(times, 0.95), "ms"),
  ]
}

/** From kill -9 of the node that runs a task until its result is there, from another node, where the task takes no time. */
export async function recovery(given: Bench): Promise<Row[]> {
  await using bench = given
  const times = await repeat(bench.sizes.deaths, async () => {
    const victim = await bench.node("corepool", CONCURRENCY, BRIEF_LOCK)
    const future = bench.fleet.submit(tasks.survive)
    while ((await bench.fleet.stats()).active === 0);
    const other = await bench.node("corepool", CONCURRENCY, BRIEF_LOCK)
    const time = await timed(async () => {
      victim.kill("SIGKILL")
      await future
    })
    other.kill("SIGTERM")
    await once(other, "exit")
    return time
  })
  const target = `≤ ${BRIEF_LOCK + 2000} ms: the lock time and 2 s`
  return [bench.row(`recovery after kill -9, lock ${BRIEF_LOCK} ms, longest`, Math.max(...times), "ms", { target })]
}

/**
 * Nodes with few threads whose tasks wait: the nodes are the limit, and more of them do more. And nodes with many threads whose tasks do nothing: the server and the processors
 * of this machine, which all processes share, are the limit, and more nodes do no more.
 */
export async function growth(given: Bench): Promise<Row[]> {
  await using bench = given
  const { growth: count, burst, rounds } = bench.sizes
  const atOnce = 5
  const ms = 50
  const waiting = (): Promise<number> =>
    timed(() => Promise.all(Array.from({ length: count }, () => bench.fleet.submit(tasks.pause, ms))))
  const perNode = (atOnce * 1000) / ms
  return [
    ...(await grown(
      bench,
      atOnce,
      `tasks of ${ms} ms, ${atOnce} at a time, ${perNode}/s at best`,
      count,
      rounds,
      waiting,
    )),
    ...(await grown(bench, 50, "tasks that do nothing, 50 at a time", burst, rounds, () =>
      burstOf(bench.fleet, burst),
    )),
  ]
}

async function grown(
  bench: Bench,
  atOnce: number,
  what: string,
  count: number,
  rounds: number,
  act: () => Promise<number>,
): Promise<Row[]> {
  const rows: Row[] = []
  let nodes = 0
  for (const wanted of [1, 2, 4]) {
    for (; nodes < wanted; nodes++) await bench.node("corepool", atOnce)
    await act()
    const rate = (count / median(await repeat(rounds, act))) * 1000
    rows.push(bench.row(`${wanted} node${wanted === 1 ? "" : "s"}: ${what}`, rate, "tasks/s"))
  }
  await bench.kill()
  return rows
}

/** Many jobs wait: what does it cost to add them, to add one more, and to get rid of them? */
export async function backlog(given: Bench): Promise<Row[]> {
  await using bench = given
  const { backlog: count, trips } = bench.sizes
  const futures: Promise<unknown>[] = []
  const adding = await timed(() => submitMany(bench.fleet, count, (result) => futures.push(result)))
  const oneMore = await repeat(Math.min(trips, 50), () =>
    timed(async () => {
      const future = bench.fleet.submit(tasks.add, 1, 1)
      futures.push(future.get())
      await future.stored
    }),
  )
  const memory = process.memoryUsage().rss / 1e6
  const stats = await repeat(5, () => timed(() => bench.fleet.stats()))
  await bench.node()
  const draining = await timed(() => Promise.all(futures))
  return [
    bench.row(`${count} jobs wait: added`, (count / adding) * 1000, "jobs/s"),
    bench.row(`${count} jobs wait: one more is stored, p50`, median(oneMore), "ms"),
    bench.row(`${count} jobs wait: memory of the submitter`, memory, "MB"),
    bench.row(`${count} jobs wait: stats(), p50`, median(stats), "ms"),
    bench.row(`${count} jobs wait: run by one node`, (count / draining) * 1000, "tasks/s"),
    bench.row(
      `${count} jobs wait: taken back by shutdownNow()`,
      (count / (await takingBack(bench, count))) * 1000,
      "jobs/s",
    ),
  ]
}

/** No node is there any more. */
async function takingBack(bench: Bench, count: number): Promise<number> {
  await bench.kill()
  const fleet = new DistributedExecutor({ name: "distributed-taken-back", engine: engineOf(bench.url), tasks })
  let cancelled = 0
  await submitMany(fleet, count, (result) => void result.catch(() => cancelled++))
  const time = await timed(async () => {
    const unrun = await fleet.shutdownNow()
    if (unrun.length !== count) throw new Error(`${unrun.length} of ${count} jobs were taken back`)
  })
  await fleet.close()
  if (cancelled !== count) throw new Error(`${cancelled} of ${count} futures were cancelled`)
  return time
}

/** Calls `each` with each future, before anything can have become of it. */
async function submitMany(
  fleet: DistributedExecutor,
  count: number,
  each: (result: Promise<number>) => void,
): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const some = Array.from({ length: Math.min(1000, count - done) }, () => fleet.submit(tasks.add, 1, 1))
    for (const future of some) each(future.get())
    await Promise.all(some.map((future) => future.stored))
  }
}

/** Many schedules are there: what does one more cost? */
export async function schedules(given: Bench): Promise<Row[]> {
  await using bench = given
  const { schedules: count } = bench.sizes
  const add = async (): Promise<void> => {
    await bench.fleet.scheduleAtFixedRate(tasks.add, 3_600_000, 3_600_000, 1, 1).stored
  }
  const first = await repeat(20, () => timed(add))
  for (let done = 0; done < count; done += 500) await Promise.all(Array.from({ length: 500 }, add))
  const last = await repeat(20, () => timed(add))
  const rows = [
    bench.row("one more schedule, the first ones, p50", median(first), "ms"),
    bench.row(`one more schedule among ${count}, p50`, median(last), "ms"),
  ]
  await bench.fleet.shutdownNow()
  return rows
}
