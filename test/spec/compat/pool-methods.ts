/** The script of a workerpool: what its threads can do. */
import { workerpool } from "corepool/compat"

/** The shape gives a method `this`, which is the method itself. */
interface Method {
  readonly worker: {
    addAbortListener(listener: () => Promise<void>): void
    emit(payload: unknown): void
  }
}

let cleanedUp = 0

const methods = {
  add: (a: number, b: number): number => a + b,
  later: async (value: unknown): Promise<unknown> => await Promise.resolve(value),
  isMainThread: (): boolean => workerpool.isMainThread,
  lengthOf: (bytes: Uint8Array): number => bytes.byteLength,
  bytes: (size: number): unknown => {
    const bytes = new Uint8Array(size).fill(7)
    return new workerpool.Transfer(bytes, [bytes.buffer])
  },
  emits(this: Method, count: number): string {
    for (let n = 1; n < count; n++) workerpool.workerEmit({ n })
    this.worker.emit({ n: count })
    return "done"
  },
  fails: (): void => {
    throw Object.assign(new TypeError("broken"), { code: "E_BROKEN" })
  },
  never: async (): Promise<never> => await new Promise(() => undefined),
  spins: (): void => {
    for (;;);
  },
  exits: (): void => process.exit(7),
  cleans(this: Method): Promise<never> {
    this.worker.addAbortListener(async () => {
      await Promise.resolve()
      cleanedUp++
      this.worker.emit("cleaned")
    })
    this.worker.emit("begun")
    return new Promise(() => undefined)
  },
  cleanedUp: (): number => cleanedUp,
  keep: (flag: Int32Array): void => void (kept = flag),
}

let kept: Int32Array | undefined

workerpool.worker(methods, {
  onTerminate: async () => {
    await Promise.resolve()
    if (kept !== undefined) Atomics.store(kept, 0, 1)
  },
})
