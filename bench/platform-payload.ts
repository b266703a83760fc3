/** Tasks with something to carry, there and back: objects, bytes that are copied, buffers that are handed over. */
import { requireEqual, sumBelow } from "./contest.ts"
import {
  clocked,
  inTime,
  onMain,
  type PlatformBout,
  type PlatformContest,
  type Sample,
  WALL,
} from "./platform-contest.ts"
import { against, ours, theirs, times } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"
import { entry, TEXT } from "./entries.ts"
import type { Entry } from "./tasks/work.ts"

const KB = 1024
const MB = KB * KB

// ------------------------------------------------------------------ objects

async function objects(n: number, results: (entries: readonly Entry[]) => Promise<readonly Entry[]>): Promise<Sample> {
  const entries = times(n, entry)
  const { result, sample } = await clocked(() => results(entries))
  let total = 0
  for (const { id, text, values, active } of result) {
    total += id
    requireEqual("the length of a text", text.length, TEXT.length)
    requireEqual("the last number", values[59] ?? NaN, ((id - 1) * 31 + 59 * 7) % 1000)
    requireEqual("the flag", Number(active), (id - 1) % 2)
  }
  requireEqual("the sum of the ids", total, sumBelow(n) + n)
  return sample
}

const ourObjects = ours("corepool", ({ pool, work }, n) =>
  objects(n, (entries) => Promise.all(entries.map((one) => pool.submit(work.relabel, one)))),
)

const theirObjects = theirs(allRivals, 0.2, (pool, n) =>
  objects(n, (entries) => Promise.all(entries.map((one) => pool.run("relabel", one)))),
)

const OBJECTS = "tasks with an object of 1 KB in and out"

// ------------------------------------------------------------------ bytes

function requireBumped(bytes: Uint8Array, size: number): void {
  requireEqual("the size", bytes.length, size)
  requireEqual("the first byte", bytes[0] ?? NaN, 1)
  requireEqual("the last byte", bytes[size - 1] ?? NaN, 7)
}

async function copies(
  n: number,
  size: number,
  results: (bytes: Uint8Array) => Promise<readonly Uint8Array[]>,
): Promise<Sample> {
  const bytes = new Uint8Array(size)
  const { result, sample } = await clocked(() => results(bytes))
  requireEqual("the number of results", result.length, n)
  for (const one of result) requireBumped(one, size)
  requireEqual("what was sent", bytes[0] ?? NaN, 0)
  return sample
}

function copyBout(n: number, size: number, name: string): PlatformBout {
  const our = ours("corepool", ({ pool, work }, count) =>
    copies(count, size, (bytes) => Promise.all(times(count, () => pool.submit(work.bump, bytes)))),
  )
  const rivals = theirs(allRivals, 1, (pool, count) =>
    copies(count, size, (bytes) => Promise.all(times(count, () => pool.run("bump", bytes)))),
  )
  return { n, metrics: [inTime(`tasks with ${name} of bytes copied in and out`)], pairs: against(our, rivals) }
}

// ------------------------------------------------------------------ buffers

async function handedOver(
  n: number,
  results: (buffers: readonly ArrayBuffer[]) => Promise<readonly ArrayBuffer[]>,
): Promise<Sample> {
  const buffers = times(n, () => new ArrayBuffer(MB))
  const { result, sample } = await clocked(() => results(buffers))
  requireEqual("the number of results", result.length, n)
  for (const one of result) requireBumped(new Uint8Array(one), MB)
  for (const one of buffers) requireEqual("what is left of a buffer that was handed over", one.byteLength, 0)
  return sample
}

const ourBuffers = ours("corepool", ({ pool, transfers }, n) =>
  handedOver(n, (buffers) =>
    Promise.all(buffers.map((buffer) => pool.with({ transfer: [buffer] }).submit(transfers.touch, buffer))),
  ),
)

const theirBuffers = theirs(allRivals, 1, (pool, n) =>
  handedOver(n, (buffers) => Promise.all(buffers.map((buffer) => pool.run("touch", buffer, [buffer])))),
)

export const payloads: PlatformContest = {
  name: "platform-payload",
  bouts: [
    {
      n: 20_000,
      metrics: [inTime(OBJECTS), onMain(OBJECTS)],
      pairs: against(ourObjects, theirObjects, { [WALL]: 3 }),
    },
    copyBout(500, 64 * KB, "64 KB"),
    copyBout(50, MB, "1 MB"),
    {
      n: 100,
      metrics: [inTime("buffers of 1 MB handed over, there and back")],
      pairs: against(ourBuffers, theirBuffers, { [WALL]: 1 }),
    },
  ],
}
