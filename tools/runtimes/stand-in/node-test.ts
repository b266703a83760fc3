/**
 * Stands in for `node:test` on Bun, on Deno and in browsers: the parts that the tests use, run as node runs them and told in the lines of
 * `results.ts`. What is not here is not silently different: to import or to call it is an error.
 *
 * Why not theirs. Bun's works only under `bun test`, Deno's under `deno test`; both keep the event loop alive, so that a wait
 * nobody can end hangs, or passes by the runner's own timers, where node says that nothing is left to wait for.
 * Deno's lets errors between tests, and errors of the file itself, pass; `t.skip()` counts as passed there; and neither
 * tells why a test was skipped.
 */
import { OUTSIDE } from "../results.ts"
import { MockTracker } from "./mock.ts"
import { onEnd, onLoad, onUncaught, quit, rest, setImmediate, TIME_LIMIT, write } from "./place.ts"
import { type HookKind, type Reason, Step, type StepOptions, told } from "./step.ts"

const open = new Set<Step>()
const surroundings = { write, open, isOverdue: false }

let isClosing = false

/**
 * After the last test: calls the hooks `after` of the file, which may be all that lets the process end. If a test took too long, what it has left
 * might keep the process alive, which is ended then.
 */
function afterTest(): void {
  if (open.size > 0) return
  setImmediate(() => {
    if (open.size > 0) return
    if (surroundings.isOverdue) {
      quit()
      return
    }
    isClosing = true
    void root
      .afterInner()
      .catch(onStray)
      .finally(() => {
        isClosing = false
        rest()
      })
  })
}

const DEFAULTS: StepOptions = { skip: undefined, todo: undefined, timeout: TIME_LIMIT, concurrency: 1 }

const root = new Step(surroundings, undefined, [], DEFAULTS, undefined)
// After the modules, all of whose tests and hooks are known then.
onLoad(() => root.begin())

/** The suite whose function is being called. */
let collecting = root

type TestFunction = (t: TestContext, done?: (error?: unknown) => void) => unknown

interface Given<F> {
  readonly name: string
  readonly options: StepOptions
  readonly fn: F
}

const KNOWN_OPTIONS = ["name", "skip", "todo", "timeout", "concurrency"]

/** Sorts out `(name?, options?, fn?)`. */
function given<F extends (...args: never[]) => unknown>(args: readonly unknown[], nothing: F): Given<F> {
  const fn = (args.find((arg) => typeof arg === "function") as F | undefined) ?? nothing
  const named = args.find((arg) => typeof arg === "string")
  const options = (args.find((arg) => typeof arg === "object" && arg !== null) ?? {}) as Record<string, unknown>
  for (const option of Object.keys(options)) {
    if (!KNOWN_OPTIONS.includes(option)) throw new Error(`The stand-in for node:test has no option ${option}`)
  }
  return {
    name: named ?? (fn.name === "" ? "<anonymous>" : fn.name),
    options: {
      skip: reasonIn(options["skip"]),
      todo: reasonIn(options["todo"]) ?? (args.some((arg) => typeof arg === "function") ? undefined : true),
      timeout: (options["timeout"] as number | undefined) ?? TIME_LIMIT,
      concurrency: concurrencyIn(options["concurrency"] ?? 1),
    },
    fn,
  }
}

function concurrencyIn(option: unknown): number {
  if (typeof option === "number") return option
  throw new Error("The stand-in for node:test knows `concurrency` only as a number")
}

function reasonIn(option: unknown): Reason | undefined {
  return typeof option === "string" ? option : option === true ? true : undefined
}

function addTest(parent: Step, { name, options, fn }: Given<TestFunction>): Promise<void> {
  const test = new Step(surroundings, parent, [...parent.path, name], options, (step) => {
    const context = new TestContext(step)
    return fn.length < 2 ? fn.call(context, context) : called(fn, context)
  })
  return parent.add(test).finally(afterTest)
}

/** A test that takes `done` has ended when that is called. */
function called(fn: TestFunction, context: TestContext): Promise<void> {
  return new Promise((resolve, reject) => {
    fn.call(context, context, (error) => {
      if (error == null) resolve()
      else reject(error instanceof Error ? error : new Error(told(error)))
    })
  })
}

function addSuite({ name, options, fn }: Given<() => unknown>): Promise<void> {
  const outer = collecting
  const suite = new Step(surroundings, outer, [...outer.path, name], options, undefined)
  const ended = outer.add(suite).finally(afterTest)
  // Node leaves out what is in a suite that is skipped.
  if (options.skip !== undefined) return ended
  collecting = suite
  try {
    if (fn() instanceof Promise) throw new Error("The stand-in for node:test has no asynchronous suites")
  } catch (error) {
    suite.fail(error)
  } finally {
    collecting = outer
  }
  return ended
}

class TestContext {
  readonly name: string
  readonly fullName: string
  readonly mock = new MockTracker()
  readonly #step: Step
  readonly #ended = new AbortController()

  constructor(step: Step) {
    this.#step = step
    this.name = step.path.at(-1) ?? ""
    this.fullName = step.path.join(" > ")
    step.cleanUps.push(
      () => this.mock.restoreAll(),
      () => this.#ended.abort(),
    )
  }

  /** Aborts when the test has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  test(...args: unknown[]): Promise<void> {
    return addTest(
      this.#step,
      given<TestFunction>(args, () => undefined),
    )
  }

  skip(reason?: string): void {
    this.#step.skip(reason ?? true)
  }

  todo(reason?: string): void {
    this.#step.todo(reason ?? true)
  }

  before(call: () => unknown): void {
    this.#step.hook("before", call)
  }

  after(call: () => unknown): void {
    this.#step.hook("after", call)
  }

  beforeEach(call: () => unknown): void {
    this.#step.hook("beforeEach", call)
  }

  afterEach(call: () => unknown): void {
    this.#step.hook("afterEach", call)
  }

  /** A remark; nobody reads it here. */
  diagnostic(): void {}
}

/** The call itself, and its short forms. */
function withShortForms(add: (args: unknown[]) => Promise<void>) {
  const call = (...args: unknown[]): Promise<void> => add(args)
  return Object.assign(call, {
    skip: (...args: unknown[]) => add([...args.filter((arg) => typeof arg !== "object"), { skip: true }]),
    todo: (...args: unknown[]) => add([...args.filter((arg) => typeof arg !== "object"), { todo: true }]),
  })
}

const hook =
  (kind: HookKind) =>
  (call: () => unknown): void =>
    collecting.hook(kind, call)

const describe = withShortForms((args) => addSuite(given(args, () => undefined)))
const before = hook("before")
const after = hook("after")
const beforeEach = hook("beforeEach")
const afterEach = hook("afterEach")
const mock = new MockTracker()

const test = Object.assign(
  withShortForms((args) =>
    addTest(
      collecting,
      given<TestFunction>(args, () => undefined),
    ),
  ),
  { describe, suite: describe, before, after, beforeEach, afterEach, mock },
)

export { after, afterEach, before, beforeEach, describe, test as it, mock, describe as suite, test }
export default Object.assign(test, { test, it: test })

/** The innermost test that runs now: to it an error belongs that nobody caught. */
function running(): Step | undefined {
  return [...open].findLast((step) => step.isRunning && !step.isSuite)
}

function onStray(error: unknown): void {
  const step = running()
  if (step === undefined) write({ event: "end", path: OUTSIDE, outcome: "failed", why: told(error) })
  else step.fail(error)
}

onUncaught(onStray)

onEnd(() => {
  for (const step of [...open].toReversed()) {
    step.abandon(
      step.isRunning
        ? "has not ended, and nothing is left that it could wait for"
        : "did not run: another test has not ended",
    )
  }
  if (isClosing) onStray("a hook after all tests has not ended, and nothing is left that it could wait for")
  write({ event: "finish" })
})
