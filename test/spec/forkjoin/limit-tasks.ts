/** Tasks that wait with a time limit for what their own thread would have to run. */
import {
  bind,
  CountedCompleter,
  type Executor,
  fork,
  type Future,
  RecursiveTask,
  task,
  type ThreadPoolExecutor,
} from "corepool"
import { words } from "../../support/shared-words.ts"
import { pass } from "./tasks.ts"

type Service = Pick<ThreadPoolExecutor, "submit"> & Executor

/** Waits for ever, but for its limit: nothing that is measured here is over before. */
const SOON = 5

/** Long enough for a thread to be made, on however busy a machine. */
const LONG = 600_000

async function nameOf(call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return (error as Error).name
  }
}

function open(gate: number): void {
  Atomics.store(words, gate + 1, 1)
  Atomics.notify(words, gate + 1)
}

/** Waits, with a limit, for something that itself waits for this task: then lets that go on, and waits for it again. */
async function waitInTurn(part: Future<unknown>, gate: number, isBlocking: boolean): Promise<unknown[]> {
  const first = await nameOf(() => (isBlocking ? part.getSync(SOON) : part.get(SOON)))
  const second = await nameOf(() => (isBlocking ? part.getSync(0) : part.get(0)))
  open(gate)
  return [first, second, typeof (await part)]
}

export const limitPart = task(import.meta.url, async function limitPart(gate: number, isBlocking: boolean) {
  return await waitInTurn(fork(pass, gate), gate, isBlocking)
})

export const limitSubmitted = task(
  import.meta.url,
  async function limitSubmitted(gate: number, isBlocking: boolean, pool: Service) {
    return await waitInTurn(pool.submit(pass, gate), gate, isBlocking)
  },
)

const double = task(import.meta.url, function double(n: number): number {
  return 2 * n
})

/** With a limit that is long enough, in each of the ways. */
export const limitAmply = task(import.meta.url, async function limitAmply(pool: Service): Promise<unknown[]> {
  return [
    fork(double, 1).getSync(LONG),
    await fork(double, 2).get(LONG),
    pool.submit(double, 3).getSync(LONG),
    await pool.submit(double, 4).get(LONG),
  ]
})

/** Waits for several at once, with and without a limit. */
export const invokeSeveral = task(
  import.meta.url,
  async function invokeSeveral(pool: ThreadPoolExecutor, limit: number): Promise<unknown[]> {
    const both = [bind(double, 1), bind(double, 2)]
    const all = await pool.invokeAll(both, limit)
    return [...all.map((future) => future.resultNow()), typeof (await pool.invokeAny(both, limit))]
  },
)

/** Has parts that are never over, or are over when it says so. */
export class Open extends CountedCompleter<string> {
  static {
    task(import.meta.url, this)
  }

  compute(): void {
    this.tryComplete()
  }

  override get rawResult(): string {
    return "complete"
  }
}

export const limitCompleter = task(import.meta.url, async function limitCompleter(): Promise<unknown[]> {
  const log: unknown[] = []
  const begun = new Open(undefined, 1)
  log.push(await nameOf(() => begun.invoke()))
  for (const completer of [begun, new Open()]) {
    for (const limit of [SOON, 0]) log.push(await nameOf(() => completer.getSync(limit)))
    log.push(completer.isDone)
    completer.tryComplete()
    log.push(completer.getSync(SOON), completer.isDone)
  }
  return log
})

/** Waits for itself. */
class Circle extends RecursiveTask<string> {
  static {
    task(import.meta.url, this)
  }

  compute(): string {
    try {
      return this.getSync(SOON)
    } catch (error) {
      return (error as Error).name
    }
  }
}

/** Waits for tasks that nothing can end: those that were never forked, and one that is beneath the wait. */
export const limitUnforked = task(import.meta.url, async function limitUnforked(): Promise<unknown[]> {
  const log: unknown[] = []
  for (const waited of [new Open(undefined, 1), new Circle()]) log.push(await nameOf(() => waited.getSync(SOON)))
  return [...log, new Circle().invoke()]
})

/** A part of a completer is stolen, and held, while that is waited for. */
class Held extends CountedCompleter<string> {
  static {
    task(import.meta.url, this)
  }

  readonly gate: number

  constructor(completer: CountedCompleter | Open | undefined, gate: number) {
    super(completer)
    this.gate = gate
  }

  compute(): void {
    pass(this.gate)
    this.tryComplete()
  }
}

export const limitStolen = task(import.meta.url, async function limitStolen(gate: number): Promise<unknown[]> {
  const completer = new Open(undefined, 1)
  new Held(completer, gate).fork()
  while (Atomics.load(words, gate) === 0);
  completer.compute()
  const first = await nameOf(() => completer.getSync(SOON))
  open(gate)
  return [first, completer.getSync(LONG)]
})
