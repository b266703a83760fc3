import { FLOW } from "../memory/flow/internals.ts"
import { identityOf } from "../identity.ts"
import { type Flow, mainFlow } from "../memory/flow/flow.ts"
import { LABEL, THREADS } from "../pool/internals.ts"
import { livePools } from "../pool/live-pools.ts"
import type { PoolThread } from "../pool/engine/pool-engine.ts"
import { busyExecutors } from "../pool/thread-per-task-executor.ts"
import { busyScopes } from "../structured/scope-core.ts"
import type { DumpedThread, ThreadContainer, ThreadDump } from "../thread/thread-dump.ts"
import type { Thread } from "../thread/thread.ts"
import { deadlocks } from "./deadlocks.ts"
import { type FlowPlace, type FoundWait, sizeOf, taskName, Waits } from "./waits.ts"

/** What is known of a thread before the waits are looked at. */
interface Listed extends Omit<PoolThread, "runs"> {
  readonly name: string
  readonly tid: number
  readonly virtual: boolean
  runs(future: object): boolean
}

/** A group of threads, and the executor or scope that they belong to. */
interface Group {
  readonly container: string
  readonly kind: ThreadContainer["kind"]
  readonly threads: Listed[]
  readonly queued?: number
  readonly scope?: (typeof busyScopes extends Set<infer S> ? S : never) | undefined
}

type PoolLike = object & { [THREADS](): PoolThread[]; readonly [LABEL]?: string | undefined }

const ROOT = "<root>"

/** The flow of a platform thread in which its tasks run. */
const MAIN = mainFlow.id

/** Collects all that is known now. Calls no code of the program. */
export function collect(): ThreadDump {
  return new Collection().dump()
}

class Collection {
  readonly #waits = new Waits()
  readonly #names = new Map<string, number>()
  readonly #groups: Group[] = []
  readonly #scopes = [...busyScopes]

  constructor() {
    const pools = (livePools() as PoolLike[]).map((pool) => this.#ofPool(pool)).filter((group) => group !== undefined)
    const executors = [...busyExecutors].map((executor) => this.#ofExecutor(executor as PoolLike))
    const scopes = this.#scopes
      .filter((scope) => !executors.some((group) => group.scope === scope))
      .map((scope): Group => ({ container: this.#unique(nameOfScope(scope)), kind: "scope", threads: [], scope }))
    const known = new Set([...pools, ...executors].flatMap(({ threads }) => threads.map(({ token }) => token)))
    this.#groups.push(this.#root(known), ...pools, ...executors, ...scopes)
  }

  dump(): ThreadDump {
    const containers = this.#groups.map((group) => this.#container(group))
    const all = containers.flatMap(({ threads }) => threads)
    return {
      time: new Date().toISOString(),
      threadContainers: parentsFirst(containers),
      deadlocks: deadlocks(all),
    }
  }

  // ------------------------------------------------------------------ the groups

  /** This thread, and the threads that no pool of this thread has made. */
  #root(known: ReadonlySet<number | undefined>): Group {
    const threads: Listed[] = [listed({ thread: mainFlow.owner as Thread, task: undefined, runs: never })]
    for (const { token, threadId } of this.#waits.threads) {
      if (token === this.#waits.token || known.has(token)) continue
      const name = `thread ${threadId}`
      threads.push({ thread: undefined, token, name, tid: -threadId, virtual: false, task: undefined, runs: never })
    }
    return { container: ROOT, kind: "root", threads }
  }

  #ofPool(pool: PoolLike): Group | undefined {
    const threads = pool[THREADS]().map((it) => listed(it))
    if (threads.length === 0) return undefined
    const queued = sizeOf(pool)
    const container = this.#unique(pool[LABEL] ?? identityOf(pool))
    return { container, kind: "pool", threads, ...(queued === undefined ? {} : { queued }) }
  }

  #ofExecutor(executor: PoolLike): Group {
    const threads = executor[THREADS]().map((it) => listed(it))
    const scope = this.#scopes.find((it) => it.executor === (executor as object))
    if (scope === undefined) return { container: this.#unique(identityOf(executor)), kind: "pool", threads }
    return { container: this.#unique(nameOfScope(scope)), kind: "scope", threads, scope }
  }

  #unique(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1
    this.#names.set(name, count)
    return count === 1 ? name : `${name}-${count}`
  }

  // ------------------------------------------------------------------ what is written

  #container({ container, kind, threads, queued, scope }: Group): ThreadContainer {
    const base = { container, kind, ...(queued === undefined ? {} : { queued }) }
    const dumped = threads.map((thread) => this.#thread(thread))
    const rest = { threads: dumped, threadCount: dumped.length }
    if (scope === undefined) return { ...base, parent: kind === "root" ? null : ROOT, owner: null, ...rest }
    const owner = this.#threadOfFlow(scope.owner)
    const parent = this.#groups.find((group) => owner !== undefined && group.threads.includes(owner))
    const forks = scope.forks.map((fork) => {
      const runner = this.#runnerOf(fork)
      return { task: taskName(fork), ...(runner === undefined ? {} : { thread: runner }) }
    })
    return { ...base, parent: parent?.container ?? ROOT, owner: owner?.name ?? nameOfFlow(scope.owner), ...rest, forks }
  }

  #thread(it: Listed): DumpedThread {
    const { thread, token, task, name, tid, virtual } = it
    const waits = this.#waitsOf(it)
    const waitsFor = waits.map(({ object, holder, future }) => {
      const owner = holder === undefined ? future && this.#runnerOf(future) : this.#nameOfPlace(holder)
      return { object, ...(owner === undefined ? {} : { owner }) }
    })
    return {
      tid,
      name,
      virtual,
      state: this.#stateOf(it, waits.length > 0, token),
      interrupted: thread?.isInterrupted === true,
      ...(task === undefined ? {} : { task: taskName(task) }),
      ...(waitsFor.length === 0 ? {} : { waitsFor }),
    }
  }

  #waitsOf({ thread, token, task, virtual }: Listed): readonly FoundWait[] {
    if (token === undefined || token === this.#waits.token) {
      // A worker without a task waits for one, which is no wait of the program.
      return thread === undefined || (virtual && task === undefined) ? [] : this.#waits.of(thread[FLOW])
    }
    return [...this.#waits.ofThread(token).values()].flat()
  }

  #stateOf({ thread, task, virtual }: Listed, isWaiting: boolean, token?: number): DumpedThread["state"] {
    if (token === 0) return "starting"
    const isElsewhere = token !== undefined && token !== this.#waits.token
    if (task === undefined && (virtual || (isElsewhere && thread !== undefined))) return "idle"
    if (isElsewhere && this.#waits.isBlocked(token)) return "blocked"
    return isWaiting ? "waiting" : "running"
  }

  // ------------------------------------------------------------------ names

  #all(): Listed[] {
    return this.#groups.flatMap(({ threads }) => threads)
  }

  #threadOfFlow(flow: Flow): Listed | undefined {
    return this.#all().find(({ thread, token }) => token === undefined && thread?.[FLOW] === flow)
  }

  #runnerOf(future: object): string | undefined {
    return this.#all().find((it) => it.runs(future))?.name
  }

  #nameOfPlace({ thread: token, flow }: FlowPlace): string {
    const isHere = token === this.#waits.token
    const found = this.#all().find((it) =>
      isHere ? it.token === undefined && ((it.thread?.[FLOW].id ?? 0) | 0) === flow : it.token === token,
    )
    if (found === undefined) return isHere ? `thread #${flow >>> 0}` : "another thread"
    return isHere || flow === MAIN ? found.name : `flow ${flow >>> 0} of ${found.name}`
  }
}

let lastUnknown = 0

function listed(pooled: PoolThread): Listed {
  const { thread, token, task } = pooled
  const runs = (future: object): boolean => pooled.runs(future)
  const place = token === undefined ? {} : { token }
  if (thread === undefined) {
    const number = --lastUnknown
    return { thread, ...place, task, runs, name: `thread ${token ?? number}`, tid: number, virtual: false }
  }
  return {
    thread,
    ...place,
    task,
    runs,
    name: thread.name,
    tid: thread.id,
    virtual: token === undefined && thread.isVirtual,
  }
}

function never(): boolean {
  return false
}

function nameOfScope({ name }: { readonly name: string }): string {
  return name === "" ? "StructuredTaskScope" : name
}

function nameOfFlow(flow: Flow): string {
  return flow.owner?.name ?? `thread #${flow.id}`
}

/** Sorts so that each group comes after its parent. */
function parentsFirst(containers: readonly ThreadContainer[]): ThreadContainer[] {
  const sorted: ThreadContainer[] = []
  const add = (parent: string | null): void => {
    for (const it of containers) {
      if (it.parent !== parent || sorted.includes(it)) continue
      sorted.push(it)
      add(it.container)
    }
  }
  add(null)
  return sorted
}
