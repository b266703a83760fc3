/** The executors that scopes are put to. */
import {
  AtomicInteger,
  CountDownLatch,
  type ExecutorService,
  Executors,
  type Future,
  platformThreads,
  Thread,
  virtualThreads,
} from "corepool"
import { eventually } from "../../support/harness.ts"

export interface Kind {
  readonly name: string
  readonly isVirtual: boolean
  /** Undefined: the default of scopes. */
  open(): ExecutorService | undefined
}

/** No thread is terminated in these tests, unless a test says so. */
const platform = platformThreads({ terminateAfter: Infinity })

export const KINDS: readonly Kind[] = [
  { name: "virtual threads by default", isVirtual: true, open: () => undefined },
  { name: "a pool of virtual threads", isVirtual: true, open: () => Executors.newFixedThreadPool(3, virtualThreads()) },
  { name: "a pool of platform threads", isVirtual: false, open: () => Executors.newFixedThreadPool(3, platform) },
  {
    name: "a hidden pool of platform threads",
    isVirtual: false,
    open: () => Executors.unconfigurableExecutorService(Executors.newFixedThreadPool(3, platform)),
  },
  { name: "a platform thread per task", isVirtual: false, open: () => Executors.newThreadPerTaskExecutor(platform) },
]

/** What a test needs of one kind; all of it ends with the test. */
export class Lab implements AsyncDisposable {
  readonly executor: ExecutorService | undefined
  readonly begun: AtomicInteger = new AtomicInteger()
  readonly stopped: AtomicInteger = new AtomicInteger()
  readonly latch: CountDownLatch = new CountDownLatch(1)

  constructor(kind: Kind) {
    this.executor = kind.open()
  }

  get options(): { executor?: ExecutorService } {
    return this.executor === undefined ? {} : { executor: this.executor }
  }

  async begins(count: number): Promise<void> {
    await eventually(() => this.begun.get() >= count)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.latch.countDown()
    await this.executor?.close()
  }
}

/** Runs the body in a virtual thread; `over` has its outcome. */
export function inThread(body: () => Promise<void>): { interrupt(): void; readonly over: Future<void> } {
  let thread: Thread | undefined
  const over = Executors.newVirtualThreadPerTaskExecutor().submit(() => {
    thread = Thread.currentThread()
    return body()
  })
  return { interrupt: () => thread?.interrupt(), over }
}
