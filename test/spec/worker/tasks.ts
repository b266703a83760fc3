/** Tasks of the tests in this folder: a pool's threads import this module. */
import { Executors, tasksOf, Thread } from "corepool"
import { createServer } from "node:net"
import { isMainThread, resourceLimits, threadId, workerData } from "node:worker_threads"
import type { PreloadLog } from "./preload-a.ts"

/** What a thread knows of itself. */
export function self(): { name: string; id: number; isVirtual: boolean; isAlive: boolean; text: string } {
  const thread = Thread.currentThread()
  const { name, id, isVirtual, isAlive } = thread
  return { name, id, isVirtual, isAlive, text: String(thread) }
}

export function add(a: number, b: number): number {
  return a + b
}

export function runtimeThread(): number {
  return threadId
}

export function isPoolThread(): boolean {
  return !isMainThread && workerData !== null
}

export function environment(name: string): string | undefined {
  return process.env[name]
}

export function flags(): string[] {
  return process.execArgv
}

export function limits(): unknown {
  return resourceLimits
}

/** Uses up the memory of its thread. */
export function devour(): never {
  const pieces: unknown[] = []
  for (;;) pieces.push(Array.from({ length: 1000 }, (_, i) => ({ i })))
}

export function exit(code: number): never {
  process.exit(code)
}

/** Whether this thread was given compiled code. */
export function startedWithCode(): boolean {
  const { code } = workerData as { code?: { regions: Int32Array[] } }
  return code?.regions.some((region) => (region[0] ?? 0) > 0) ?? false
}

/** Whether a thread is that it starts itself. */
export async function startsWithCode(): Promise<boolean> {
  await using pool = Executors.newFixedThreadPool(1)
  return await pool.submit(tasksOf<{ startedWithCode(): boolean }>(import.meta.url).startedWithCode)
}

export function preloaded(): readonly string[] {
  return (globalThis as PreloadLog).preloaded ?? []
}

/** Says that it has begun, and then sleeps until somebody interrupts it; what happened then. */
export function sleepUntilInterrupted(channel: string): [string, boolean, boolean] {
  const { signal } = Thread.currentThread()
  say(channel)
  try {
    Thread.sleepSync(3_600_000)
  } catch (error) {
    return [(error as Error).name, Thread.interrupted(), signal.aborted]
  }
  return ["", false, false]
}

/** Computes until somebody interrupts it. */
export function spinUntilInterrupted(channel: string): number {
  say(channel)
  let rounds = 0
  while (!Thread.interrupted()) rounds++
  return rounds
}

export async function awaitAbort(channel: string): Promise<string> {
  const { signal } = Thread.currentThread()
  say(channel)
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
  return (signal.reason as Error).name
}

/** Lets the test know; see `Ear`. */
function say(channel: string): void {
  const voice = new BroadcastChannel(channel)
  voice.postMessage("here")
  voice.close()
}

/** Listens on a port, and goes on doing so when the task is over. */
export async function listen(): Promise<number> {
  const server = createServer((socket) => socket.end("hello"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as { port: number }).port
}

/** Counts on by a timer when the task is over. */
export function tick(channel: string): void {
  setInterval(() => say(channel), 1)
}

/** How the work of this thread was divided between waiting and working, in ms. */
export function utilization(): { idle: number; active: number } {
  return performance.eventLoopUtilization()
}

/** Ends its thread some time after it is over. */
export function throwLater(message: string): void {
  setTimeout(() => {
    throw new Error(message)
  }, 1)
}

export function interruptSelfAndSleep(): void {
  Thread.currentThread().interrupt()
  Thread.sleepSync(3_600_000)
}

export function failAs(): void {
  throw new Error(Thread.currentThread().name)
}

/** Ends its thread before it is over. */
export function throwMeanwhile(message: string): Promise<never> {
  throwLater(message)
  return new Promise(() => undefined)
}
