/**
 * How a thread comes to share memory with others.
 *
 * The first thread that loads corepool makes a space and leaves it in the environment that its workers inherit, so the
 * threads of a program usually meet in one. A thread that was started before corepool was loaded learns of the space
 * when it is sent something that lies in it; it may then live in two.
 *
 * Who dies is noticed by the parent, which hears of the exit of each worker it starts, and by the thread itself if the
 * runtime lets it end in order.
 */
import { availableParallelism } from "node:os"
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, type Worker } from "node:worker_threads"
import { type Addressee, ThreadContext } from "./thread-context.ts"
import { atTheVeryEnd } from "./last-listener.ts"
import { attest } from "./life.ts"
import { setBlockFor } from "./block-for.ts"
import { perThread, VERSION } from "../../per-thread.ts"
import { ThreadRegistry } from "./thread-registry.ts"
import { INTERRUPTED } from "../flow/wait-list.ts"

const KEY = `corepool@${VERSION}`

interface Inheritance {
  readonly registry: SharedArrayBuffer
  readonly parentId: number
}

/** A microsecond or so, in which another processor can do something about it; alone on the machine nobody can. */
const SPINS = availableParallelism() > 1 ? 60 : 0

/** No mail reaches a flow that sleeps. */
const SLEEPER: Addressee = {
  index: 0,
  isVital: false,
  unpark: () => undefined,
  takePermit: () => false,
}

interface Lives {
  readonly parentId: number
  readonly home: ThreadRegistry
  /** This thread in each space it lives in, by the space's number. */
  readonly lives: Map<number, ThreadContext>
  current: ThreadContext | undefined
}

const thread = perThread<Lives>("lives", () => {
  const inherited = getEnvironmentData(KEY) as Inheritance | undefined
  const home = inherited === undefined ? ThreadRegistry.create() : ThreadRegistry.over(inherited.registry)
  setEnvironmentData(KEY, { registry: home.buffer, parentId: threadId } satisfies Inheritance)
  process.on("worker", watch)
  return { parentId: inherited?.parentId ?? -1, home, lives: new Map(), current: undefined }
})

/** This thread in the space where it makes things of its own. */
export function threadContext(): ThreadContext {
  return (thread.current ??= hereIn(thread.home.buffer))
}

/** This thread in the space in this buffer. */
export function hereIn(buffer: SharedArrayBuffer): ThreadContext {
  const { lives, home, parentId } = thread
  const registry = ThreadRegistry.over(buffer)
  let life = lives.get(registry.id)
  if (life === undefined) {
    life = new ThreadContext(registry, registry.enter(threadId, parentId), SPINS, leaveAll)
    lives.set(registry.id, life)
    if (!isMainThread) attest(registry, life.token) // the main thread ends with all others
    // Whichever way it came to live there: by something of its own, or by something it was sent.
    if (registry.id === home.id) life.exposeInterrupt()
    if (lives.size === 1) {
      if (!isMainThread) atTheVeryEnd(leaveAll)
      // It sleeps on the thread's park word, where others can wake it, and sees to its bells meanwhile.
      setBlockFor((flow, ms) => threadContext().block(SLEEPER, flow, ms) === INTERRUPTED)
    }
  }
  return life
}

/** For models, in which several threads take turns in one: the thread that runs from now on. */
export function become(other: ThreadContext): void {
  thread.current = other
}

/** This thread is about to end: it leaves all spaces, and whoever blocks there hears of it. */
export function leaveAll(): void {
  for (const life of thread.lives.values()) life.leave()
}

/**
 * Whether a worker has stopped when the runtime says so. Deno says it when the worker was told to, though that may run
 * for ever.
 */
export const isExitTheEnd: boolean = !("deno" in process.versions)

/** Tells all spaces of the end of a worker, if it was in them. */
function watch(worker: Worker): void {
  const id = worker.threadId // it is gone from the worker when the worker is gone
  const ended = (): void => {
    const spaces = Array.from(thread.lives.values(), (life) => life.registry)
    for (const registry of new Set([thread.home, ...spaces])) {
      if (isExitTheEnd) registry.reapThread(id)
      else for (const token of registry.tokensOf(id)) hereIn(registry.buffer).ending.add(token)
    }
  }
  // Deno tells of a worker after its first message, and it may have been terminated by then.
  if ((worker as { threadName?: string | null }).threadName === null) ended()
  else worker.once("exit", ended)
}
