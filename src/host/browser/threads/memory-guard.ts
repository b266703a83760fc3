import { scope } from "../runtime/globals.ts"

/** A browser ends a worker that is out of memory, or the page. */
export function guardMemory(_leave: () => void): void {}

/** How many bytes of the heap are in use; 0 if the browser does not tell, and then no thread is replaced for that. */
export function heapInUse(): number {
  const { memory } = scope["performance"] as { memory?: { readonly usedJSHeapSize: number } }
  return memory?.usedJSHeapSize ?? 0
}
