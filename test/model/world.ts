/**
 * The state of a model, one execution of it, and the moves that lead on. A move can be taken back, so that another one
 * can be tried.
 */
import { mix, mixOther } from "./fingerprint.ts"
import { Memory } from "./memory.ts"
import { isPlain, type Operation } from "./operation.ts"
import { ModelThread, TIMED_OUT, type Phase, type ThreadState } from "./thread.ts"
import { describeAll, describeOperation, type Event, ModelViolation } from "./trace.ts"

export type MoveKind = "step" | "time out" | "call" | "kill"

export interface Move {
  readonly kind: MoveKind
  readonly thread: ModelThread
}

export interface Rules {
  readonly plainSteps: boolean
  readonly killAtWrites: boolean
  readonly spins: number
  readonly steps: number
  /** How many waits may time out while others could go on; undefined: a time-out never comes. */
  readonly timeouts: number | undefined
  readonly kills: number
}

interface Saved {
  readonly threads: readonly ThreadState[]
  readonly changes: number
  readonly events: number
  readonly timeouts: number
  readonly kills: number
}

const NOBODY: readonly string[] = []
const PHASES: Record<Phase, number> = { absent: 0, ready: 1, asleep: 2, idle: 3, dead: 4 }

export class World {
  readonly memory: Memory
  readonly #rules: Rules
  readonly threads: ModelThread[] = []
  /** Who may be killed, with the thread that then starts, if any. */
  readonly #reapers = new Map<ModelThread, ModelThread | undefined>()
  readonly events: Event[] = []
  #timeouts = 0
  #kills = 0

  constructor(memory: Memory, rules: Rules) {
    this.memory = memory
    this.#rules = rules
  }

  addThread(name: string, body: () => unknown, enter: () => void): ModelThread {
    const thread = new ModelThread(this.threads.length, name, body, enter, (self, operation) =>
      this.#isSchedulingPoint(self, operation) ? false : this.#perform(self, operation),
    )
    this.threads.push(thread)
    return thread
  }

  /** The thread may be killed; then its reaper, if there is one, is started. */
  allowKill(thread: ModelThread, reaper: ModelThread | undefined): void {
    this.#reapers.set(thread, reaper)
  }

  save(): Saved {
    return {
      threads: this.threads.map((thread) => thread.save()),
      changes: this.memory.changes,
      events: this.events.length,
      timeouts: this.#timeouts,
      kills: this.#kills,
    }
  }

  restore(saved: Saved): void {
    for (const thread of this.threads) thread.restore(saved.threads[thread.number] as ThreadState)
    this.memory.takeBack(saved.changes)
    this.events.length = saved.events
    this.#timeouts = saved.timeouts
    this.#kills = saved.kills
  }

  /** Everything by which the future of this state can differ from that of another; `also` is mixed in. */
  fingerprint(also: number): { high: number; low: number } {
    let high = mix(this.memory.high, also)
    let low = mixOther(this.memory.low, also)
    for (const { state } of this.threads) {
      high = mix(high, state.high)
      low = mixOther(low, state.low)
      // What the history alone does not tell.
      const { phase, fruitless, changed } = state
      const rest = PHASES[phase] + 8 * (fruitless * 2 + (changed ? 1 : 0))
      high = mix(high, rest)
      low = mixOther(low, rest)
      for (const number of state.due) {
        high = mix(high, number + 1)
        low = mixOther(low, number + 1)
      }
    }
    // Who died, and so how many, is among the phases.
    const spent = this.#rules.timeouts === Infinity ? 0 : this.#timeouts
    return { high: mix(high, spent), low: mixOther(low, spent) }
  }

  /** What can happen next, apart from deaths. None if nobody can go on. */
  moves(): Move[] {
    const moves: Move[] = []
    const { timeouts } = this.#rules
    for (const thread of this.threads) {
      const { phase, due } = thread.state
      if (phase === "ready" && !this.#isHeld(thread)) moves.push({ kind: "step", thread })
      else if (phase === "idle" && due.length > 0) moves.push({ kind: "call", thread })
      else if (this.#canTimeOut(thread) && this.#timeouts < (timeouts ?? 0)) moves.push({ kind: "time out", thread })
    }
    if (moves.length > 0) return moves
    // Only now those who would rather see somebody else go on first.
    for (const thread of this.threads) {
      if (thread.state.phase === "ready") moves.push({ kind: "step", thread })
      else if (this.#canTimeOut(thread) && timeouts !== undefined) moves.push({ kind: "time out", thread })
    }
    return moves
  }

  deaths(): Move[] {
    if (this.#kills === this.#rules.kills) return []
    return [...this.#reapers.keys()]
      .filter(({ state }) => state.phase !== "dead")
      .map((thread) => ({ kind: "kill", thread }))
  }

  take({ kind, thread }: Move): void {
    const { state } = thread
    switch (kind) {
      case "step": {
        const operation = state.pending as Operation
        if (this.#perform(thread, operation)) thread.replay(true)
        return
      }
      case "time out": {
        const operation = state.pending as Operation
        this.#timeouts++
        this.#happened(thread, "timed out", operation, TIMED_OUT)
        thread.record(operation, TIMED_OUT)
        thread.replay(true)
        return
      }
      case "call": {
        const [number, ...due] = state.due
        state.due = due
        this.#happened(thread, "called", undefined, number as number)
        thread.record(undefined, number as number)
        thread.replay(true)
        return
      }
      case "kill": {
        this.#kills++
        state.phase = "dead"
        state.pending = undefined
        state.listening = []
        state.due = []
        state.outcome = undefined
        // What it knew does not matter any more, and states that differ only in that are one.
        state.high = 0
        state.low = 0
        this.#happened(thread, "killed", undefined, 0)
        this.#reapers.get(thread)?.replay(false)
      }
    }
  }

  #canTimeOut({ state }: ModelThread): boolean {
    return state.phase === "asleep" && state.pending?.code === "wait" && Number.isFinite(state.pending.b)
  }

  /** A thread that has paused in vain goes on when it can hope to see something new. */
  #isHeld({ state }: ModelThread): boolean {
    return state.pending?.code === "pause" && !state.changed && state.fruitless >= this.#rules.spins
  }

  /**
   * Whether others may take steps before this one. Not if nobody could notice: then the order makes no difference, and
   * one order stands for all.
   */
  #isSchedulingPoint(thread: ModelThread, { code, address, a }: Operation): boolean {
    if (code === "pause") {
      const { changed, fruitless } = thread.state
      return !changed && fruitless >= this.#rules.spins
    }
    if (code === "block") return a === Infinity
    if (code === "wait" || code === "listen") return true
    if (!this.memory.isContended(address)) return false
    if (!isPlain(code) || this.#rules.plainSteps) return true
    return code === "write" && this.#rules.killAtWrites && this.#reapers.has(thread) && this.#kills < this.#rules.kills
  }

  /** Takes the step and records its result; false if the thread fell asleep instead. */
  #perform(thread: ModelThread, operation: Operation): boolean {
    const { code, words, index, address, a, b } = operation
    const { memory } = this
    const { state } = thread
    if (code !== "pause" && code !== "block") memory.touch(thread.number, address, code)
    let result = 0
    let woken = NOBODY
    switch (code) {
      case "pause":
        state.fruitless = state.changed ? 0 : state.fruitless + 1
        state.changed = false
        break
      case "block":
        if (a === Infinity) {
          state.phase = "asleep"
          this.#happened(thread, "sleeps", operation, 0)
          return false
        }
        break
      case "wait":
        if (words[index] === (a | 0)) {
          state.phase = "asleep"
          this.#happened(thread, "sleeps", operation, 0)
          return false
        }
        break
      case "listen":
        if (words[index] !== (a | 0)) break
        state.listening = [...state.listening, { address, number: state.listeners++ }]
        result = 1
        break
      case "notify":
        woken = this.#notify(address)
        break
      default: {
        const before = memory.changes
        result = memory.access(code, words, index, a, b, address)
        if (memory.changes !== before)
          for (const other of this.threads) if (other !== thread) other.state.changed = true
      }
    }
    this.#happened(thread, "step", operation, result, woken)
    thread.record(operation, result)
    return true
  }

  #notify(address: number): readonly string[] {
    const woken: string[] = []
    for (const thread of this.threads) {
      const { state } = thread
      if (state.phase === "asleep" && state.pending?.address === address) {
        woken.push(thread.name)
        thread.record(state.pending, 0)
        thread.replay(false)
      }
      const rung = state.listening.filter((listener) => listener.address === address)
      if (rung.length === 0) continue
      woken.push(...rung.map(({ number }) => `listener ${number} of ${thread.name}`))
      state.listening = state.listening.filter((listener) => listener.address !== address)
      state.due = [...state.due, ...rung.map(({ number }) => number)]
    }
    return woken
  }

  #happened(
    thread: ModelThread,
    what: Event["what"],
    operation: Operation | undefined,
    result: number,
    woken: readonly string[] = NOBODY,
  ): void {
    this.events.push({ thread: thread.name, what, operation, result, woken })
    if (this.events.length > this.#rules.steps)
      throw this.violation("livelock", `no end after ${this.#rules.steps} steps`)
  }

  /** Why an execution in which nobody can go on has not ended well; undefined if everybody has finished. */
  whoIsStuck(): string | undefined {
    const stuck = this.threads.flatMap(({ name, state }) => {
      if (state.phase === "asleep" && state.pending?.code === "block") return [] // for ever, and knows it
      if (state.phase === "asleep")
        return [`${name} sleeps in ${describeOperation(state.pending as Operation, (at) => this.memory.nameOf(at))}`]
      if (state.phase !== "idle" || state.done) return []
      const doorbells = state.listening.map(({ address }) => this.memory.nameOf(address))
      return [`${name} awaits ${doorbells.length === 0 ? "without listening" : `a ring of ${doorbells.join(", ")}`}`]
    })
    return stuck.length === 0 ? undefined : stuck.join("; ")
  }

  violation(kind: ModelViolation["kind"], what: string, cause?: unknown): ModelViolation {
    return new ModelViolation(
      kind,
      what,
      describeAll(this.events, (at) => this.memory.nameOf(at)),
      cause,
    )
  }
}
