import { Bytes } from "#host/values/bytes"
import { add, load, store } from "#atomics"
import { OwnMap } from "../../primordials.ts"
import { RejectedExecutionError } from "../../errors.ts"
import type { GrowingWords } from "../../memory/growing-words.ts"
import { find, findNow, type FoundTask, referenceOf, type TaskReference } from "../../task/reference.ts"
import { functionNameOf, titleOf } from "../../task/title.ts"

const COUNT = 0
const TOP = 1
const INDEX = 2
const MOST_FUNCTIONS = 2 ** 16
const TEXTS = INDEX + MOST_FUNCTIONS

type AnyFunction = (...args: never[]) => unknown

/**
 * The functions that a pool's tasks call, by number. A thread registers a function once; after that a task carries only
 * its number, and each thread looks the function up once.
 *
 * How it works. References are texts, appended one behind the other and never changed. COUNT numbers them, TOP says
 * where the next text goes, and the index says where each begins, which is written last. Two threads may register the
 * same function; it then has two numbers, which does no harm. A thread that dies in between leaves a number that no
 * task uses.
 */
export class FunctionTable {
  readonly #texts: GrowingWords
  /** Numbers by function, and by reference for functions that the program makes anew each time. */
  readonly #numbers = new WeakMap<AnyFunction, number>()
  readonly #known = new OwnMap<string, number>()
  readonly #found: (FoundTask | undefined)[] = []
  /** Most tasks call the same function as the one before. */
  #last: AnyFunction | undefined
  #lastNumber = 0

  constructor(texts: GrowingWords) {
    this.#texts = texts
    texts.reach(TEXTS)
  }

  /** The number of a function. Throws TaskNotPortableError if another thread could not find the function. */
  numberOf(fn: AnyFunction): number {
    if (fn === this.#last) return this.#lastNumber
    let number = this.#numbers.get(fn)
    if (number === undefined) {
      const text = JSON.stringify(referenceOf(fn))
      number = this.#known.get(text)
      if (number === undefined) this.#known.set(text, (number = this.#publish(text)))
      this.#numbers.set(fn, number)
    }
    this.#last = fn
    this.#lastNumber = number
    return number
  }

  /** The function with this number, if this thread has found it already or can without waiting. */
  resolve(number: number): FoundTask | undefined {
    const known = this.#found[number]
    if (known !== undefined) return known
    const reference = this.referenceOf(number)
    const found = findNow(reference)
    return found && this.#keep(number, reference, found)
  }

  /**
   * Whether {@link resolve} gives a function that `isWanted` accepts, or throws: in that case the task fails for that
   * reason when it runs.
   */
  isReady(number: number, isWanted: (found: FoundTask) => boolean): boolean {
    let found: FoundTask | undefined
    try {
      found = this.resolve(number)
    } catch {
      return true
    }
    return found !== undefined && isWanted(found)
  }

  async find(number: number): Promise<FoundTask> {
    const reference = this.referenceOf(number)
    const found = await find(reference)
    return this.#found[number] ?? this.#keep(number, reference, found)
  }

  /** Also notes the number by reference: this thread uses it if it submits the same function itself. */
  #keep(number: number, reference: TaskReference, found: FoundTask): FoundTask {
    const text = JSON.stringify(reference)
    if (!this.#known.has(text)) this.#known.set(text, number)
    return (this.#found[number] = found)
  }

  /** The name of the function; "" if it has none. */
  nameOf(number: number): string {
    return functionNameOf(this.referenceOf(number))
  }

  /** How messages name the function. */
  titleOf(number: number): string {
    return titleOf(this.referenceOf(number))
  }

  referenceOf(number: number): TaskReference {
    const { words } = this.#texts
    const at = load(words, INDEX + number)
    this.#texts.reach(at + 1)
    const length = load(this.#texts.words, at)
    this.#texts.reach(at + 1 + ((length + 3) >> 2))
    const bytes = Bytes.alloc(length)
    bytes.set(new Uint8Array(this.#texts.buffer, (at + 1) * 4, length))
    return JSON.parse(bytes.toString("utf8")) as TaskReference
  }

  /** Writes the text of a reference where other threads find it; returns the number of the function. */
  #publish(text: string): number {
    const bytes = Bytes.from(text, "utf8")
    const size = 1 + ((bytes.length + 3) >> 2)
    const number = add(this.#texts.words, COUNT, 1)
    const at = TEXTS + add(this.#texts.words, TOP, size)
    if (number >= MOST_FUNCTIONS || at + size > this.#texts.maximum) {
      throw new RejectedExecutionError(
        "Too many different functions were given to this pool. Are functions made from text, each a little different? Pass what differs as an argument",
      )
    }
    this.#texts.reach(at + size)
    new Uint8Array(this.#texts.buffer, (at + 1) * 4, bytes.length).set(bytes)
    store(this.#texts.words, at, bytes.length)
    store(this.#texts.words, INDEX + number, at)
    return number
  }
}
