import { OwnMap } from "../../primordials.ts"
import { perThread } from "../../per-thread.ts"

/** So many entries of objects that are garbage may be kept, besides as many as there are objects. */
const SLACK = 64

/**
 * The objects that this thread has shared with others, by the numbers by which all threads know them, so that a thread
 * dump can say what a number stands for. The references are weak; the list is swept whenever it has doubled.
 */
const objects = /* @__PURE__ */ perThread("shared objects", () => ({
  byNumber: new OwnMap<number, WeakRef<object>>(),
  limit: SLACK,
}))

/** Called when an object is shared for the first time, by the thread that has made it. */
export function noteShared(number: number, object: object): void {
  const { byNumber } = objects
  if (byNumber.size >= objects.limit) {
    for (const [key, reference] of byNumber) if (reference.deref() === undefined) byNumber.delete(key)
    objects.limit = 2 * byNumber.size + SLACK
  }
  byNumber.set(number, new WeakRef(object))
}

export function sharedObject(number: number): object | undefined {
  return objects.byNumber.get(number)?.deref()
}
