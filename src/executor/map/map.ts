/** `map`: a function over a stream of items, on an executor, with back-pressure. */
import { requireBoolean, requireFunction, requireInteger, requireOptions, typeError } from "../../checks.ts"
import { boundCall } from "../../future/call.ts"
import { awaiting } from "../../memory/flow/waiting.ts"
import { eachOf } from "../../task/each.ts"
import type { MapOptions, TaskHost } from "../executor.ts"
import { BULK_MAP, DEFAULT_WINDOW } from "../internals.ts"
import { MapFeed, type Source } from "./map-feed.ts"

export function mapOver<I, O>(
  executor: TaskHost,
  fn: (item: I) => O | PromiseLike<O>,
  items: Iterable<I> | AsyncIterable<I>,
  options: MapOptions,
): AsyncIterable<Awaited<O>> {
  requireFunction("fn", fn)
  const known = { ordered: true, window: true, chunk: true } as const
  const { ordered = true, window, chunk } = requireOptions("options", options, known)
  requireBoolean("ordered", ordered)
  if (window !== undefined) requireInteger("window", window, 1)
  if (chunk !== undefined) requireInteger("chunk", chunk, 1)
  const { isAsync, open } = opener(items)
  const { fn: inner, args: bound } = takenApart(fn)
  // Items of an asynchronous source may come slowly: none should wait until there are enough for a chunk.
  const bulkMap = chunk === undefined && !isAsync ? executor[BULK_MAP] : undefined
  const most = window ?? executor[DEFAULT_WINDOW]
  return {
    [Symbol.asyncIterator]: () =>
      bulkMap === undefined
        ? results(new MapFeed(executor, { run: eachOf(inner), bound }, open(), isAsync, ordered, most, chunk ?? 1))
        : bulkMap(executor, inner, bound, open() as Iterator<I>, ordered, window),
  }
}

async function* results<I, O>(feed: MapFeed<I, O[]>): AsyncGenerator<O, void, undefined> {
  try {
    for (;;) {
      feed.fill()
      const ready = feed.poll()
      if (ready !== undefined) for (const result of await ready.get()) yield result
      else if (feed.isOver) return
      else await awaiting(feed.progress(), undefined, "Future", "map")
    }
  } finally {
    feed.stop()
  }
}

/** The function that `bind` was given, with its arguments. */
function takenApart<F extends (...args: never[]) => unknown>(fn: F): { fn: F; args: readonly unknown[] } {
  const call = boundCall(fn)
  const isPlain = call.result === undefined && call.object === undefined
  return isPlain ? call : { fn, args: [] }
}

interface Opener<I> {
  readonly isAsync: boolean
  readonly open: () => Source<I>
}

function opener<I>(items: Iterable<I> | AsyncIterable<I>): Opener<I> {
  for (const key of [Symbol.asyncIterator, Symbol.iterator] as const) {
    const iterable = items as Record<typeof key, (() => Source<I>) | undefined> | null | undefined
    if (typeof iterable?.[key] === "function") {
      return { isAsync: key === Symbol.asyncIterator, open: () => (iterable[key] as () => Source<I>)() }
    }
  }
  throw typeError("items", "an iterable or async iterable", items)
}
