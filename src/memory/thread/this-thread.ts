/**
 * How a thread comes to share memory with others.
 *
 * The first thread that loads corepool makes a thread registry and leaves it in the environment that its workers
 * inherit, so the threads of a program usually have one in common. A thread that was started before corepool was loaded
 * learns of the registry when it receives an object that refers to it; that thread may then be in two registries.
 *
 * The death of a thread is noticed by its parent, which gets the event of the exit of each worker it starts, and by the
 * thread itself if the runtime lets it end in order.
 */
import { availableParallelism } from "#host/runtime/machine"
import { isExitTheEnd, leavesAtLoad } from "#host/runtime/capabilities"
import { atTheVeryEnd } from "#host/threads/last-listener"
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, watchThreads } from "#host/threads/workers"
import { type Addressee, ThreadContext } from "./thread-context.ts"
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

/** About a microsecond, in which another processor can end the wait. With one processor no other thread can. */
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
  /** The context of this thread in each registry that it is in, by the registry's number. */
  readonly lives: Map<number, ThreadContext>
  current: ThreadContext | undefined
}

let own: Lives | undefined

/** Made when it is first needed. */
function thread(): Lives {
  return (own ??= perThread<Lives>("lives", () => {
    const inherited = getEnvironmentData(KEY) as Inheritance | undefined
    const home = inherited === undefined ? ThreadRegistry.create() : ThreadRegistry.over(inherited.registry)
    setEnvironmentData(KEY, { registry: home.buffer, parentId: threadId } satisfies Inheritance)
    watchThreads(ended)
    return { parentId: inherited?.parentId ?? -1, home, lives: new Map(), current: undefined }
  }))
}

if (leavesAtLoad) thread()

/** The context of this thread in the registry in which it makes objects of its own. */
export function threadContext(): ThreadContext {
  const lives = own ?? thread()
  return (lives.current ??= contextIn(lives.home.buffer))
}

/** The context of this thread in the registry that lies in this buffer. */
export function contextIn(buffer: SharedArrayBuffer): ThreadContext {
  const { lives, home, parentId } = thread()
  const registry = ThreadRegistry.over(buffer)
  let life = lives.get(registry.id)
  if (life === undefined) {
    life = new ThreadContext(registry, registry.enter(threadId, parentId), SPINS, leaveAll)
    lives.set(registry.id, life)
    if (!isMainThread) attest(registry, life.token) // the main thread ends with all others
    // Whether the thread entered its home registry by an object of its own, or by one that it received.
    if (registry.id === home.id) life.exposeInterrupt()
    if (lives.size === 1) {
      if (!isMainThread) atTheVeryEnd(leaveAll)
      // The thread sleeps on its park word, where others can wake it, and its bells are answered meanwhile.
      setBlockFor((flow, ms) => threadContext().block(SLEEPER, flow, ms) === INTERRUPTED)
    }
  }
  return life
}

/** For models, in which several threads take turns in one: sets the thread that runs from now on. */
export function become(other: ThreadContext): void {
  thread().current = other
}

/** This thread is about to end: it leaves all registries, and the threads that block there are woken. */
export function leaveAll(): void {
  for (const life of own?.lives.values() ?? []) life.leave()
}

/** Reports the end of a worker to all registries, if the worker was in them. */
function ended(id: number): void {
  const { lives, home } = thread()
  const registries = Array.from(lives.values(), (life) => life.registry)
  for (const registry of new Set([home, ...registries])) {
    if (isExitTheEnd) registry.reapThread(id)
    else for (const token of registry.tokensOf(id)) contextIn(registry.buffer).ending.add(token)
  }
}
