/**
 * The walk through all executions: depth first, over every move from every state, and from each state only once.
 *
 * States are told apart by what memory holds and what each thread has seen, so of all orders of independent steps, which
 * lead to one state, one is followed up. Steps that no other thread can notice are not even reordered. Which words are
 * so private is not known beforehand: all are taken to be, until two threads touch one. Then the walk starts again; not
 * at once, for where one such word was found there usually are more, but when it has become twice as long.
 */
import { runtime } from "#host/runtime/clock"
import { context } from "./context.ts"
import { Fingerprints } from "./fingerprint.ts"
import { Memory } from "./memory.ts"
import type { Limits, Model, Report, Self } from "./model.ts"
import { BodyError, type ModelThread } from "./thread.ts"
import { ModelError } from "./trace.ts"
import { type Move, type Rules, World } from "./world.ts"

export function search<S, R extends Record<string, unknown>>(model: Model<S, R>): Report {
  const memory = new Memory()
  context.memory = memory
  const restoreClock = replaceClock()
  try {
    const shared = model.setup()
    const initially = memory.changes
    for (;;) {
      const report = new Search(model, shared, memory).run()
      if (report !== undefined) return report
      memory.takeBack(initially)
      memory.hasNews = false
    }
  } finally {
    restoreClock()
    context.memory = undefined
  }
}

const IN_VAIN = new Error("The walk is void")

class Search<S, R extends Record<string, unknown>> {
  readonly #model: Model<S, R>
  readonly #shared: S
  readonly #memory: Memory
  readonly #world: World
  readonly #started: readonly ModelThread[]
  readonly #visited = new Fingerprints()
  readonly #maxStates: number
  readonly #maxPreemptions: number
  /** With so many states a walk that has become void ends. */
  #mostInVain = Infinity
  #executions = 0
  #moves = 0
  #preemptions = 0
  #last: ModelThread | undefined

  constructor(model: Model<S, R>, shared: S, memory: Memory) {
    this.#model = model
    this.#shared = shared
    this.#memory = memory
    this.#maxStates = model.states ?? 1_000_000
    this.#maxPreemptions = model.preemptions ?? Infinity
    this.#world = new World(memory, rulesOf(model))
    const bodies: Readonly<Record<string, (shared: S, self: Self) => unknown>> = model.threads
    this.#started = Object.entries(bodies).map(([name, body]) => this.#addThread(name, (self) => body(shared, self)))
    const { kill = [], onKill } = model
    const mortal = typeof kill === "string" ? [kill] : kill
    for (const name of mortal) {
      const thread = this.#started.find((each) => each.name === name)
      if (thread === undefined) throw new ModelError(`There is no thread ${name} to kill`)
      const reaper = onKill && this.#addThread(`reaper of ${name}`, () => onKill(shared, name))
      this.#world.allowKill(thread, reaper)
    }
  }

  #addThread(name: string, body: (self: Self) => unknown): ModelThread {
    const { enter } = this.#model
    const self: Self = { name, until: (condition) => thread.until(condition) }
    const thread = this.#world.addThread(
      name,
      () => body(self),
      () => enter?.(this.#shared, name),
    )
    return thread
  }

  /** Undefined if it was in vain, because some words are contended of which that was not known. */
  run(): Report | undefined {
    try {
      this.#judge(() => {
        for (const thread of this.#started) thread.replay(false)
      })
      this.#visit()
    } catch (error) {
      if (error !== IN_VAIN) throw error
    }
    if (this.#memory.hasNews) return undefined
    return { executions: this.#executions, states: this.#visited.size, moves: this.#moves }
  }

  #visit(): void {
    const bounded = this.#maxPreemptions !== Infinity
    // How many preemptions are left, and whose turn it is, only matters if they are limited.
    const { high, low } = this.#world.fingerprint(bounded ? this.#preemptions * 32 + (this.#last?.number ?? 31) : 0)
    if (!this.#visited.add(high, low)) return
    if (this.#visited.size > this.#maxStates)
      throw new ModelError(`More than ${this.#maxStates} states: make the model smaller, or allow more`)
    this.#checkInvariant()
    this.#endIfInVain()

    const moves = this.#world.moves()
    if (moves.length === 0) this.#end()
    const last = this.#last
    const preemptions = this.#preemptions
    // Whoever went last goes on first: so violations with few preemptions are found first.
    const lastCanGoOn = moves.some(({ thread }) => thread === last)
    if (lastCanGoOn) moves.sort((one, other) => Number(other.thread === last) - Number(one.thread === last))
    const saved = this.#world.save()
    for (const move of moves) {
      const preempts = lastCanGoOn && move.thread !== last
      if (preempts && preemptions === this.#maxPreemptions) continue
      this.#try(move, move.thread, preemptions + (preempts ? 1 : 0))
      this.#world.restore(saved)
    }
    for (const death of this.#world.deaths()) {
      this.#try(death, last, preemptions)
      this.#world.restore(saved)
    }
    this.#last = last
    this.#preemptions = preemptions
  }

  /** A violation that it finds until then counts: the executions are real ones, but not all there are. */
  #endIfInVain(): void {
    if (!this.#memory.hasNews) return
    const { size } = this.#visited
    if (this.#mostInVain === Infinity) this.#mostInVain = 2 * size
    if (size >= this.#mostInVain) throw IN_VAIN
  }

  #try(move: Move, last: ModelThread | undefined, preemptions: number): void {
    this.#last = last
    this.#preemptions = preemptions
    this.#moves++
    this.#judge(() => this.#world.take(move))
    this.#visit()
  }

  /** Runs code of threads. What they throw is a violation. */
  #judge(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (!(error instanceof BodyError)) throw error
      throw this.#world.violation("assertion", `${error.thread} threw ${textOf(error.cause)}`, error.cause)
    }
  }

  #checkInvariant(): void {
    const { invariant } = this.#model
    if (invariant === undefined) return
    this.#memory.observing = true
    let violated: { readonly cause: unknown } | undefined
    try {
      if (invariant(this.#shared) === false) violated = { cause: undefined }
    } catch (cause) {
      violated = { cause }
    }
    this.#memory.observing = false
    if (violated !== undefined)
      throw this.#world.violation("invariant", textOf(violated.cause ?? "it does not hold"), violated.cause)
  }

  #end(): void {
    const stuck = this.#world.whoIsStuck()
    if (stuck !== undefined) throw this.#world.violation("lost wake-up", stuck)
    this.#executions++
    if (this.#memory.hasNews) return
    const outcomes = Object.fromEntries(this.#started.map(({ name, state }) => [name, state.outcome]))
    const { changes } = this.#memory
    const { finally: check } = this.#model
    try {
      check?.(this.#shared, outcomes as R)
    } catch (cause) {
      throw this.#world.violation("final check", textOf(cause), cause)
    }
    this.#memory.takeBack(changes)
  }
}

function rulesOf(model: Limits): Rules {
  const { timeouts = "any" } = model
  return {
    plainSteps: model.plainSteps ?? false,
    killAtWrites: model.killAtWrites ?? true,
    spins: model.spins ?? 1,
    steps: model.steps ?? 1_000,
    timeouts: timeouts === "any" ? Infinity : timeouts === "never" ? undefined : timeouts,
    kills: model.kills ?? 1,
  }
}

/** In a thread of the model, `performance.now()` tells the time of the model, and so do the clocks that src has. */
function replaceClock(): () => void {
  const real = Object.getOwnPropertyDescriptor(performance, "now")
  const realNow = performance.now.bind(performance)
  const taken = { ...runtime }
  runtime.now = performance.now = () => context.thread?.now ?? realNow()
  runtime.sharedNow = () => runtime.origin + runtime.now()
  return () => {
    Object.assign(runtime, taken)
    if (real === undefined) Reflect.deleteProperty(performance, "now")
    else Object.defineProperty(performance, "now", real)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
