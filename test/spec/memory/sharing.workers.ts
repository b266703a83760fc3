import { AtomicInteger, CountDownLatch, type Shared } from "corepool"

interface Parcel {
  readonly nested: readonly { readonly atom: Shared }[]
  readonly latch: Shared
}

/** Uses what it got, wherever in the message it was. */
export function unpack({ nested, latch }: Parcel): number {
  let sum = 0
  for (const { atom } of nested) sum += AtomicInteger.from(atom).incrementAndGet()
  CountDownLatch.from(latch).countDown()
  return sum
}
