/** What the compiler knows about tasks, their arguments and their results. */
import {
  bind,
  type Callable,
  type ExecutorService,
  fork,
  type ForkJoinTask,
  type Future,
  FutureTask,
  type ScheduledFuture,
  type Sendable,
  Thread,
  virtualThreads,
} from "corepool"
import { typeOf } from "./same.ts"

declare const pool: ExecutorService

declare function add(a: number, b: number): number
declare function load(url: string, retries?: number): Promise<string[]>
declare function describe(error: Error): string
declare function sum(...numbers: number[]): number

export function submitInfersResults(): void {
  typeOf(pool.submit(add, 1, 2)).is<Future<number>>()
  typeOf(pool.submit(() => "text")).is<Future<string>>()
  typeOf(pool.submit(sum, 1, 2, 3)).is<Future<number>>()
  typeOf(pool.submit(() => {})).is<Future<void>>()
}

export function submitUnwrapsPromises(): void {
  typeOf(pool.submit(load, "https://example.org")).is<Future<string[]>>()
  typeOf(pool.submit(load, "https://example.org", 3)).is<Future<string[]>>()
  typeOf(pool.submit(async () => await Promise.resolve(1))).is<Future<number>>()
}

export function submitChecksArguments(): void {
  // @ts-expect-error an argument is missing
  pool.submit(add, 1)
  // @ts-expect-error one argument too many
  pool.submit(add, 1, 2, 3)
  // @ts-expect-error an argument of the wrong type
  pool.submit(add, 1, "2")
  // @ts-expect-error an argument for a task that takes none
  pool.submit(() => 1, 2)
  // @ts-expect-error the result of a call instead of the task
  pool.submit(add(1, 2))
}

export async function futuresCarryTheirType(future: Future<number>): Promise<void> {
  typeOf(await future).is<number>()
  typeOf(await future.get(100)).is<number>()
  typeOf(future.getSync()).is<number>()
  typeOf(future.resultNow()).is<number>()
  // The error may be anything that can be thrown.
  typeOf(future.exceptionNow()).is<unknown>()
  // @ts-expect-error the state is changed by the task, not from outside
  future.state = "success"
}

export async function futuresStandForPromises(future: Future<number>, late: ScheduledFuture<string>): Promise<void> {
  const takesPromise = async (promise: Promise<number>): Promise<number> => await promise
  const promise: Promise<number> = future
  typeOf(await takesPromise(future)).is<number>()
  typeOf(await Promise.all([future, late, promise])).is<[number, string, number]>()
  typeOf(await Promise.race([future, late])).is<number | string>()
  typeOf(future.catch(() => "none")).is<Promise<number | string>>()
  typeOf(future.catch(describe)).is<Promise<number | string>>()
  typeOf(future.finally(() => {})).is<Promise<number>>()
  typeOf(Promise.resolve(future)).is<Promise<number>>()
  const task: Promise<number> = new FutureTask(() => 1)
  const forked: Promise<number> = fork(add, 1, 2)
  typeOf(await Promise.all([task, forked])).is<[number, number]>()
  // @ts-expect-error the value is of another type
  await takesPromise(late)
}

export async function boundTasksAreCallables(): Promise<void> {
  typeOf(bind(add, 1, 2)).is<Callable<number>>()
  typeOf(bind(load, "https://example.org")).is<Callable<string[]>>()
  typeOf(await pool.invokeAll([bind(add, 1, 2), () => 3])).is<[Future<number>, Future<number>]>()
  typeOf(await pool.invokeAny([bind(load, "a"), bind(load, "b")])).is<string[]>()
  // @ts-expect-error an argument is missing
  await pool.invokeAll([bind(add, 1)])
  // @ts-expect-error a task that still needs arguments
  await pool.invokeAll([add])
  // @ts-expect-error a list of tasks, not a task
  await pool.invokeAny(() => 1)
}

export function tasksWithTheirFirstArguments(): void {
  typeOf(bind(add, 1)).is<(b: number) => number | PromiseLike<number>>()
  typeOf(pool.map(bind(add, 1), [2, 3])).is<AsyncIterable<number>>()
  typeOf(pool.submit(bind(add, 1), 2)).is<Future<number>>()
  typeOf(bind(bind(add, 1), 2)).is<Callable<number>>()
  typeOf(bind(atLeast, 1)).is<Callable<boolean>>()
  // @ts-expect-error the first argument is a number
  bind(add, "1")
  // @ts-expect-error the items are the second argument, a number
  pool.map(bind(add, 1), ["2"])
  // @ts-expect-error the last argument is missing
  pool.submit(bind(add, 1))
}

export async function listsOfDifferentTasks(numbers: number[], loads: Iterable<Callable<string[]>>): Promise<void> {
  typeOf(await pool.invokeAll([bind(add, 1, 2), bind(load, "a"), async () => "text", () => {}])).is<
    [Future<number>, Future<string[]>, Future<string>, Future<void>]
  >()
  const [sum2, lines] = await pool.invokeAll([bind(add, 1, 2), bind(load, "a")])
  typeOf(sum2.resultNow()).is<number>()
  typeOf(lines.resultNow()).is<string[]>()
  typeOf(await pool.invokeAll(numbers.map((n) => bind(add, n, n)))).is<Future<number>[]>()
  typeOf(await pool.invokeAll(loads, 100)).is<Future<string[]>[]>()
  typeOf(await pool.invokeAll<number>([() => 1])).is<Future<number>[]>()
  typeOf(await pool.invokeAny([bind(add, 1, 2), bind(load, "a")])).is<number | string[]>()
  typeOf(await pool.invokeAny(loads)).is<string[]>()
  typeOf(await pool.invokeAny<number>([() => 1])).is<number>()
}

/** What a function does with lists of tasks of any type. */
export async function listsOfGenericTasks<T>(tasks: Callable<T>[]): Promise<T> {
  const futures: Future<T>[] = await pool.invokeAll(tasks)
  const [future] = futures
  return future === undefined ? await pool.invokeAny(tasks) : future.resultNow()
}

declare function parse(text: string): number
declare function parse(bytes: Uint8Array, from: number): Promise<bigint>
declare function same<T>(value: T): T
declare function pair<T, U>(first: T, second: U): [T, U]
declare function atLeast(least: number, ...numbers: number[]): boolean

export function optionalRestOverloadedAndGenericParameters(): void {
  typeOf(pool.submit(parse, "1")).is<Future<number>>()
  typeOf(pool.submit(parse, new Uint8Array(1), 0)).is<Future<bigint>>()
  typeOf(bind(parse, "1")).is<Callable<number>>()
  typeOf(bind(parse, new Uint8Array(1), 0)).is<Callable<bigint>>()
  typeOf(pool.submit(same, 1)).is<Future<number>>()
  typeOf(pool.submit(pair, 1, "a")).is<Future<[number, string]>>()
  typeOf(pool.submit(atLeast, 1)).is<Future<boolean>>()
  typeOf(pool.submit(atLeast, 1, 2, 3)).is<Future<boolean>>()
  typeOf(pool.submit((n) => n + 1, 1)).is<Future<number>>()
  // @ts-expect-error fits neither signature
  pool.submit(parse, 1)
  // @ts-expect-error the second signature needs both
  pool.submit(parse, new Uint8Array(1))
  // @ts-expect-error all of them are numbers
  pool.submit(atLeast, 1, "2")
  // @ts-expect-error an optional argument of another type
  pool.submit(load, "https://example.org", "3")
}

declare function each(numbers: number[], visit: (n: number) => void): void
declare function describeSymbol(value: symbol): string

export function forksSendTheirArguments(): void {
  typeOf(fork(add, 1, 2)).is<ForkJoinTask<number>>()
  typeOf(fork(same, 1)).is<ForkJoinTask<number>>()
  typeOf(fork(atLeast, 1, 2, 3)).is<ForkJoinTask<boolean>>()
  typeOf(fork((n) => n + 1, 1)).is<ForkJoinTask<number>>()
  // @ts-expect-error a function cannot be sent to the thread that takes the task
  fork(each, [1], () => {})
  // @ts-expect-error neither can a symbol
  fork(describeSymbol, Symbol("s"))
  // @ts-expect-error an argument is missing
  fork(add, 1)
}

/** A function that passes its arguments on. */
export function forkedTwice<A extends unknown[], T>(task: (...args: A) => T, ...args: Sendable<A>): [T, T] {
  const [first, second] = [fork(task, ...args), fork(task, ...args)]
  return [first.join(), second.join()]
}

export function threadsAreMadeByFactories(): void {
  // @ts-expect-error by virtualThreads() or platformThreads(), for an executor
  void new Thread(() => 1)
  typeOf(virtualThreads().newThread(() => 1)).is<Thread | null | undefined>()
}

export function mapInfersItemsAndResults(lines: AsyncIterable<string>): void {
  typeOf(pool.map((n: number) => n > 1, [1, 2])).is<AsyncIterable<boolean>>()
  typeOf(pool.map((line) => line.length, lines)).is<AsyncIterable<number>>()
  typeOf(pool.map(async (n) => await Promise.resolve([n]), new Set([1n]))).is<AsyncIterable<bigint[]>>()
  // @ts-expect-error items of the wrong type
  pool.map((n: number) => n, ["one"])
  // @ts-expect-error no such option
  pool.map((n: number) => n, [1], { parallel: 4 })
}

export async function executorsEndWithTheirScope(): Promise<void> {
  await using scoped = pool
  typeOf(scoped.with({ timeout: 100, priority: 1, name: "sum" })).is<ExecutorService>()
  // @ts-expect-error an executor ends asynchronously
  using unawaited = pool
  typeOf(unawaited).is<ExecutorService>()
  // @ts-expect-error milliseconds are numbers
  scoped.with({ timeout: "100" })
}
