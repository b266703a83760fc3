/**
 * Looks through a value before it is written: names what cannot be sent to another thread, and where in the value it is;
 * and finds errors, of which the runtime's serializer loses most.
 */
import { types } from "node:util"
import { isPromiseLike, show } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { isShareable, isSharedBuffer } from "../memory/shareables.ts"

export class Survey {
  readonly #seen = new Set<object>()
  readonly #path: (string | number)[] = []
  #foundErrors = false

  /** Throws NotSerializableError. */
  constructor(value: unknown) {
    this.#look(value)
  }

  get foundErrors(): boolean {
    return this.#foundErrors
  }

  #look(value: unknown): void {
    if (typeof value === "function" || typeof value === "symbol") this.#refuse(value, "cannot be copied")
    if (typeof value !== "object" || value === null || this.#seen.has(value)) return
    this.#seen.add(value)
    this.#lookFor(value)
    if (value instanceof Error) this.#foundErrors = true
    else if (Array.isArray(value)) for (let i = 0; i < value.length; i++) this.#step(i, value[i])
    else if (value instanceof Map) for (const [key, inner] of value) this.#step("get(…)", key).#step("get(…)", inner)
    else if (value instanceof Set) for (const inner of value) this.#step("(…)", inner)
    else if (hasMembers(value)) for (const key of Object.keys(value)) this.#step(key, (value as Members)[key])
  }

  /** What stands in the way by itself, whatever is inside of it. */
  #lookFor(value: object): void {
    if (isShareable(value)) this.#refuse(value, "cannot be written down as bytes: post it to the thread that needs it")
    if (isSharedBuffer(value)) {
      this.#refuse(value, "lies in shared memory, which cannot be written down as bytes: post it")
    }
    if (isPromiseLike(value)) this.#refuse(value, "cannot be copied: await it first")
  }

  #step(key: string | number, value: unknown): this {
    this.#path.push(key)
    this.#look(value)
    this.#path.pop()
    return this
  }

  #refuse(value: unknown, why: string): never {
    const where = this.#path.length === 0 ? "" : ` in ${pathText(this.#path)}`
    throw new NotSerializableError(`${capitalized(show(value))}${where} ${why}`)
  }
}

export type Members = Record<string, unknown>

/** Whether a clone takes along the properties it has. Of others, such as dates and buffers, it takes what they stand for. */
export function hasMembers(value: object): boolean {
  return !(
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer ||
    value instanceof Date ||
    value instanceof RegExp ||
    types.isBoxedPrimitive(value)
  )
}

function pathText(path: readonly (string | number)[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
  return `\`${steps.replace(/^\./, "")}\``
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
