/** Loads the rivals from this folder's node_modules, each on demand, with as much of their types as is used here. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

/** This runs from build/bench; what is installed lies beside the source. */
const MANIFEST = new URL("../../bench/package.json", import.meta.url)

const { resolve } = createRequire(MANIFEST)

async function load<T>(name: string): Promise<T> {
  const module = (await import(pathToFileURL(resolve(name)).href)) as { readonly default: T }
  return module.default
}

/** The exact versions of the rivals, by name. */
export function rivalVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { dependencies: Record<string, string> }
  return dependencies
}

interface Fastq {
  <T>(
    worker: (item: T, done: (error: unknown, result?: unknown) => void) => void,
    concurrency: number,
  ): {
    push(item: T): void
    drain: () => void
  }
  promise<T, R>(worker: (item: T) => Promise<R>, concurrency: number): { push(item: T): Promise<R> }
}

export const fastq = (): Promise<Fastq> => load("fastq")

type Limit = <A extends unknown[], R>(task: (...args: A) => Promise<R>, ...args: A) => Promise<R>

export const pLimit = (): Promise<(concurrency: number) => Limit> => load("p-limit")

interface PQueue {
  add<R>(task: () => Promise<R>, options?: { priority: number }): Promise<R>
}

export const pQueue = (): Promise<new (options: { concurrency: number }) => PQueue> => load("p-queue")

interface YoctoQueue<E> {
  enqueue(element: E): void
  dequeue(): E | undefined
}

export const yoctoQueue = (): Promise<new <E>() => YoctoQueue<E>> => load("yocto-queue")

interface Disposer {
  dispose(): void
}

interface Multithreading {
  readonly Mutex: new <T>(data: T) => { blockingLock(): Disposer & { readonly value: T } }
  readonly Semaphore: new (permits: number) => { blockingAcquire(): Disposer }
  readonly Barrier: new (parties: number) => { blockingWait(): unknown }
  readonly move: <A extends unknown[]>(...args: A) => { readonly moved: A }
  readonly spawn: <A extends unknown[], R>(
    moved: { readonly moved: A },
    job: (...args: A) => R,
  ) => { join(): Promise<{ readonly value?: R }> }
}

/** It asks for two things that Node 20 has not; with them it runs there too. */
export async function multithreading(): Promise<Multithreading> {
  const global = globalThis as { navigator?: unknown }
  global.navigator ??= { hardwareConcurrency: 2 }
  const promises = Promise as { withResolvers?: unknown }
  promises.withResolvers ??= () => {
    let [settle, reject] = [(_: unknown): void => undefined, (_: unknown): void => undefined]
    const promise = new Promise((res, rej) => ([settle, reject] = [res, rej]))
    return { promise, resolve: settle, reject }
  }
  return (await import(pathToFileURL(resolve("multithreading")).href)) as Multithreading
}
