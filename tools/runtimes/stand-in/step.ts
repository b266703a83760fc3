/**
 * A test or a suite of the stand-in for node:test, and how it runs.
 *
 * As in node: one after the other in the order of the calls, or so many at a time as it is told; a suite's function runs at once and only collects; hooks of
 * an outer step apply to the inner ones; a test that fails, or skips itself, stops nobody.
 *
 * Stricter than node: after a test the event loop turns once, so that a rejection it left unhandled fails *it*; and an
 * error that belongs to no test fails the file, where node adds a remark.
 */
import type { Line, Path } from "../results.ts"
import { clearTimeout, setImmediate, setTimeout } from "./place.ts"

export type HookKind = "before" | "after" | "beforeEach" | "afterEach"

/** `true` is without a reason. */
export type Reason = string | true

export interface StepOptions {
  readonly skip: Reason | undefined
  readonly todo: Reason | undefined
  /** Milliseconds after which a test that has not ended counts as failed. */
  readonly timeout: number
  /** How many of the inner steps run at the same time. */
  readonly concurrency: number
}

/** What all steps of a file share. */
export interface Surroundings {
  write(line: Line): void
  /** The steps that have not ended, in the order of the calls. */
  readonly open: Set<Step>
  /** Whether a test took too long. What it waits for may keep the process alive for ever. */
  isOverdue: boolean
}

/** What a step is told to do when its turn comes; nothing for a suite, whose function has run by then. */
export type Body = (step: Step) => unknown

export class Step {
  readonly path: Path
  readonly options: StepOptions
  /** Called after the hooks. */
  readonly cleanUps: (() => void)[] = []
  readonly #surroundings: Surroundings
  readonly #parent: Step | undefined
  readonly #body: Body | undefined
  readonly #hooks: Record<HookKind, (() => unknown)[]> = { before: [], after: [], beforeEach: [], afterEach: [] }
  readonly #errors: unknown[] = []
  #skip: Reason | undefined
  #todo: Reason | undefined
  /** In each of them inner steps run one after the other: what settles after the latest of them. */
  readonly #lanes: Promise<void>[]
  /** Settles after all inner steps that were added. */
  #inner: Promise<unknown>
  #added = 0
  #begin: () => void = () => undefined
  #isBegun = false
  #isEnded = false
  #before: Promise<void> | undefined
  #failedInner = 0

  constructor(
    surroundings: Surroundings,
    parent: Step | undefined,
    path: Path,
    options: StepOptions,
    body: Body | undefined,
  ) {
    this.#surroundings = surroundings
    this.#parent = parent
    this.path = path
    this.options = options
    this.#body = body
    this.#skip = options.skip
    this.#todo = options.todo
    const begun = new Promise<void>((resolve) => (this.#begin = resolve))
    this.#lanes = Array.from({ length: options.concurrency }, () => begun)
    this.#inner = begun
  }

  get isSuite(): boolean {
    return this.#body === undefined
  }

  /** Whether it has begun and not ended. */
  get isRunning(): boolean {
    return this.#isBegun && !this.#isEnded
  }

  /** Adds a step that runs after those added before, or beside them, and not before this one has begun. */
  add(step: Step): Promise<void> {
    this.#surroundings.open.add(step)
    const at = this.#added++ % this.#lanes.length
    const ended = (this.#lanes[at] as Promise<void>).then(() => step.#run())
    this.#lanes[at] = ended
    this.#inner = Promise.all(this.#lanes)
    return ended
  }

  /** Lets inner steps run; a test or suite calls it by itself when its turn comes. */
  begin(): void {
    this.#isBegun = true
    this.#begin()
  }

  hook(kind: HookKind, call: () => unknown): void {
    this.#hooks[kind].push(call)
  }

  skip(reason: Reason): void {
    this.#skip = reason
  }

  todo(reason: Reason): void {
    this.#todo = reason
  }

  /** Something went wrong with it, at whatever time; after its end this is told of by itself. */
  fail(error: unknown): void {
    if (this.#isEnded) this.#write({ event: "end", path: this.path, outcome: "failed", why: told(error) })
    else this.#errors.push(error)
  }

  /** It will never end by itself. */
  abandon(why: string): void {
    if (this.#isEnded) return
    this.#errors.push(why)
    this.#end()
  }

  async #run(): Promise<void> {
    this.#write({ event: "start", path: this.path })
    if (this.#skip === undefined) {
      this.begin()
      if (this.isSuite) await this.#runSuite()
      else await this.#runTest()
    }
    this.#end()
  }

  async #runSuite(): Promise<void> {
    await this.#innerSteps()
    await this.#attempt(() => this.afterInner())
  }

  async #runTest(): Promise<void> {
    if (await this.#attempt(() => this.#parent?.beforeInner())) {
      if (await this.#attempt(() => this.#parent?.aroundInner("beforeEach"))) {
        await this.#attempt(() => this.#withinTime(() => this.#body?.(this)))
        await this.#innerSteps()
      }
      await this.#attempt(() => this.#parent?.aroundInner("afterEach"))
    }
    await this.#attempt(() => this.afterInner())
    for (const cleanUp of this.cleanUps) await this.#attempt(cleanUp)
    await turn()
  }

  /** Calls the hooks `before` of this and the outer steps, each once, outermost first. */
  async beforeInner(): Promise<void> {
    await this.#parent?.beforeInner()
    await (this.#before ??= this.#callBefore())
  }

  /** What fails here fails this step, and all that are in it. */
  async #callBefore(): Promise<void> {
    try {
      await this.#callHooks("before")
    } catch (error) {
      this.#errors.push(error)
      throw new Error(`a hook before it failed: ${told(error)}`, { cause: error })
    }
  }

  /** Calls the hooks `after` of this step, each once. A test or suite does so by itself. */
  async afterInner(): Promise<void> {
    for (const call of this.#hooks.after.splice(0)) await call()
  }

  async aroundInner(kind: "beforeEach" | "afterEach"): Promise<void> {
    if (kind === "beforeEach") await this.#parent?.aroundInner(kind)
    await this.#callHooks(kind)
    if (kind === "afterEach") await this.#parent?.aroundInner(kind)
  }

  async #callHooks(kind: HookKind): Promise<void> {
    for (const call of this.#hooks[kind]) await call()
  }

  /** Inner steps may add others while they run. */
  async #innerSteps(): Promise<void> {
    for (let seen: Promise<unknown> | undefined; seen !== this.#inner;) {
      seen = this.#inner
      await seen
    }
  }

  /** Fails if what the call promises takes longer than it may. The limit itself keeps no process alive. */
  async #withinTime(call: () => unknown): Promise<void> {
    const { timeout } = this.options
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#surroundings.isOverdue = true
        reject(new Error(`test timed out after ${timeout}ms`))
      }, timeout)
      if (typeof timer === "object") timer.unref() // a browser's is a number, and keeps nothing alive
    })
    try {
      await Promise.race([call(), over])
    } finally {
      clearTimeout(timer)
    }
  }

  /** False if the call, or its promise, failed. */
  async #attempt(call: () => unknown): Promise<boolean> {
    try {
      await call()
      return true
    } catch (error) {
      this.#errors.push(error)
      return false
    }
  }

  #end(): void {
    this.#isEnded = true
    this.#surroundings.open.delete(this)
    const line = this.#lastLine()
    if (this.#parent !== undefined && (this.#failedInner > 0 || (line.event === "end" && line.outcome === "failed"))) {
      this.#parent.#failedInner++
    }
    this.#write(line)
  }

  #lastLine(): Line {
    const { path } = this
    if (this.#skip !== undefined) return { event: "end", path, outcome: "skipped", why: written(this.#skip) }
    if (this.#todo !== undefined)
      return { event: "end", path, outcome: "skipped", why: `to do: ${written(this.#todo)}` }
    if (this.#failedInner > 0 && !this.isSuite) this.#errors.push(`${this.#failedInner} inner tests failed`)
    if (this.#errors.length > 0) {
      return { event: "end", path, outcome: "failed", why: this.#errors.map(told).join("\n") }
    }
    return this.isSuite ? { event: "close", path } : { event: "end", path, outcome: "passed" }
  }

  #write(line: Line): void {
    this.#surroundings.write(line)
  }
}

function written(reason: Reason): string {
  return reason === true ? "" : reason
}

/** With the stack, which some runtimes give without the message. */
export function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stack = "" } = error
  return stack.includes(error.message) ? stack : `${String(error)}\n${stack}`
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
