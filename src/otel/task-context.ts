import type { Attributes, Context, Span } from "@opentelemetry/api"
import type { Api } from "./api.ts"

/**
 * The context of a task. It is active in the submission and, as a task on a virtual thread sees what its submitter saw,
 * in the task. Its span is that of the submission until the task runs, and that of the run from then on.
 */
export class TaskContextLayer implements Context {
  span: Span
  /** Of a task for a platform thread, during its submission: what the span of its run is to say. */
  run: { readonly name: string; readonly attributes: Attributes } | undefined
  readonly #below: Context
  readonly #spanKey: symbol

  constructor(below: Context, spanKey: symbol, span: Span) {
    this.#below = below
    this.#spanKey = spanKey
    this.span = span
  }

  getValue(key: symbol): unknown {
    return key === this.#spanKey ? this.span : this.#below.getValue(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return new Layer(this, key, value)
  }

  deleteValue(key: symbol): Context {
    return new Layer(this, key, undefined)
  }
}

/** A context in which one value is another one. */
class Layer implements Context {
  readonly #below: Context
  readonly #key: symbol
  readonly #value: unknown

  constructor(below: Context, key: symbol, value: unknown) {
    this.#below = below
    this.#key = key
    this.#value = value
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#value : this.#below.getValue(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return new Layer(this, key, value)
  }

  deleteValue(key: symbol): Context {
    return new Layer(this, key, undefined)
  }
}

/** The key under which a context has its span. The package does not export it, but `setSpan` tells it to a context. */
export function spanKeyOf({ trace, INVALID_SPAN_CONTEXT }: Api): symbol {
  let found = Symbol("no span")
  const probe: Context = {
    getValue: () => undefined,
    setValue(key) {
      found = key
      return probe
    },
    deleteValue: () => probe,
  }
  trace.setSpan(probe, trace.wrapSpanContext(INVALID_SPAN_CONTEXT))
  return found
}
