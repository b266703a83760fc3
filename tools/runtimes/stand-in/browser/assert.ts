/** Stands in for `node:assert/strict` in browsers: the parts that the tests use, judging as node's do; messages are plain. */
import { isDeepStrictEqual } from "./deep-equal.ts"
import { inspect } from "./inspect.ts"

interface Details {
  readonly message: string
  readonly actual?: unknown
  readonly expected?: unknown
  readonly operator?: string
}

export class AssertionError extends Error {
  readonly code = "ERR_ASSERTION"
  readonly actual: unknown
  readonly expected: unknown
  readonly operator: string | undefined

  constructor({ message, actual, expected, operator }: Details) {
    super(message)
    this.name = "AssertionError"
    this.actual = actual
    this.expected = expected
    this.operator = operator
  }
}

/** What a caller may say about a failure: an error is thrown as it is. */
type Message = string | Error | undefined

function failure(message: Message, said: string, details: Omit<Details, "message"> = {}): Error {
  if (message instanceof Error) return message
  return new AssertionError({ message: message ?? said, ...details })
}

/** Of two values, of which the call requires something. */
function comparison(operator: string, holds: (actual: unknown, expected: unknown) => boolean) {
  return (actual: unknown, expected: unknown, message?: Message): void => {
    if (holds(actual, expected)) return
    const said = `Expected ${inspect(actual)} ${operator} ${inspect(expected)}`
    throw failure(message, said, { actual, expected, operator })
  }
}

const equal = comparison("strictEqual", Object.is)
const notEqual = comparison("notStrictEqual", (a, b) => !Object.is(a, b))
const deepEqual = comparison("deepStrictEqual", isDeepStrictEqual)
const notDeepEqual = comparison("notDeepStrictEqual", (a, b) => !isDeepStrictEqual(a, b))

function ok(value: unknown, message?: Message): void {
  // oxlint-disable-next-line typescript/strict-boolean-expressions -- it is about any value
  if (!value)
    throw failure(message, `Expected a true value, and got ${inspect(value)}`, { actual: value, expected: true })
}

function fail(message?: Message): never {
  throw failure(message, "Failed")
}

function match(text: string, pattern: RegExp, message?: Message): void {
  if (typeof text !== "string" || !pattern.test(text)) {
    throw failure(message, `Expected ${inspect(text)} to match ${String(pattern)}`)
  }
}

function doesNotMatch(text: string, pattern: RegExp, message?: Message): void {
  if (typeof text !== "string" || pattern.test(text)) {
    throw failure(message, `Expected ${inspect(text)} not to match ${String(pattern)}`)
  }
}

/** What is expected of an error: its class, a pattern of its text, its properties, or a function that is true for it. */
type Expected = RegExp | object | ((error: unknown) => unknown) | undefined

function judge(error: unknown, expected: Expected, message: Message): void {
  if (expected === undefined) return
  if (expected instanceof RegExp) {
    if (expected.test(String(error))) return
    throw failure(message, `Expected ${inspect(error)} to match ${String(expected)}`, { actual: error, expected })
  }
  if (typeof expected !== "function") {
    judgeProperties(error, expected, message)
    return
  }
  const type = expected as unknown as new () => unknown
  if (type.prototype !== undefined && error instanceof type) return
  if (Object.prototype.isPrototypeOf.call(Error, type)) {
    throw failure(message, `Expected a ${type.name}, and got ${inspect(error)}`, { actual: error, expected })
  }
  if ((expected as (error: unknown) => unknown)(error) === true) return
  throw failure(message, `The function that judges errors was not content with ${inspect(error)}`, { actual: error })
}

function judgeProperties(error: unknown, expected: object, message: Message): void {
  // Those of an error are not enumerable.
  const keys = expected instanceof Error ? ["name", "message", ...Object.keys(expected)] : Object.keys(expected)
  for (const key of keys) {
    const wanted = Reflect.get(expected, key) as unknown
    const got = (error as Record<string, unknown> | null | undefined)?.[key]
    if (wanted instanceof RegExp && typeof got === "string" ? wanted.test(got) : isDeepStrictEqual(got, wanted))
      continue
    const said = `Expected ${inspect(wanted)} as the ${key} of ${inspect(error)}`
    throw failure(message, said, { actual: error, expected })
  }
}

function throws(call: () => unknown, expected?: Expected | string, message?: Message): void {
  const [wanted, said] = typeof expected === "string" ? [undefined, expected] : [expected, message]
  try {
    call()
  } catch (error) {
    judge(error, wanted, said)
    return
  }
  throw failure(said, "Expected an error, and none was thrown")
}

async function rejects(
  pending: PromiseLike<unknown> | (() => PromiseLike<unknown>),
  expected?: Expected | string,
  message?: Message,
): Promise<void> {
  const [wanted, said] = typeof expected === "string" ? [undefined, expected] : [expected, message]
  const promise = typeof pending === "function" ? pending() : pending
  try {
    await promise
  } catch (error) {
    judge(error, wanted, said)
    return
  }
  throw failure(said, "Expected a rejection, and there was none")
}

function doesNotThrow(call: () => unknown, message?: Message): void {
  try {
    call()
  } catch (error) {
    throw failure(message, `Threw ${inspect(error)}`, { actual: error })
  }
}

async function doesNotReject(pending: PromiseLike<unknown> | (() => PromiseLike<unknown>)): Promise<void> {
  await (typeof pending === "function" ? pending() : pending)
}

function ifError(value: unknown): void {
  if (value != null) throw value instanceof Error ? value : failure(undefined, `Got ${inspect(value)}`)
}

const assert = Object.assign((value: unknown, message?: Message): void => ok(value, message), {
  AssertionError,
  deepEqual,
  deepStrictEqual: deepEqual,
  doesNotMatch,
  doesNotReject,
  doesNotThrow,
  equal,
  fail,
  ifError,
  match,
  notDeepEqual,
  notDeepStrictEqual: notDeepEqual,
  notEqual,
  notStrictEqual: notEqual,
  ok,
  rejects,
  strictEqual: equal,
  throws,
})

export default assert
