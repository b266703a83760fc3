/** What the compiler knows about executors across machines. */
import type { Future, Runnable, ScheduledExecutorService, ScheduledFuture } from "corepool"
import {
  DistributedExecutor,
  type DistributedExecutorService,
  type DistributedFuture,
  type DistributedScheduledFuture,
  type Engine,
} from "corepool/distributed"
import { typeOf } from "./same.ts"

declare const engine: Engine
declare const fleet: DistributedExecutor

declare function resize(file: string, width: number): Promise<{ readonly bytes: number }>
declare function add(a: number, b: number): number

export function aDistributedExecutorIsAScheduledExecutorService(): void {
  const service: ScheduledExecutorService<Promise<Runnable[]>> = fleet
  void service
  // @ts-expect-error what has not begun is only promised
  const local: ScheduledExecutorService = fleet
  void local
}

export function submitInfersArgumentsAndResult(): void {
  typeOf(fleet.submit(resize, "a.png", 200)).is<DistributedFuture<{ readonly bytes: number }>>()
  typeOf(fleet.submit(add, 1, 2)).is<DistributedFuture<number>>()
  const future: Future<number> = fleet.submit(add, 1, 2)
  void future
  // @ts-expect-error an argument is missing
  fleet.submit(resize, "a.png")
  // @ts-expect-error an argument of the wrong type
  fleet.submit(resize, "a.png", "200")
}

export function aFutureHasAnIdAndIsStored(): void {
  const future = fleet.submit(add, 1, 2)
  typeOf(future.id).is<string>()
  typeOf(future.stored).is<Promise<void>>()
  typeOf(future.progress).is<unknown>()
  typeOf(fleet.future<number>("id")).is<DistributedScheduledFuture<number>>()
  typeOf(fleet.future("id")).is<DistributedScheduledFuture<unknown>>()
}

export function schedulesInferTheSame(): void {
  typeOf(fleet.schedule(add, 100, 1, 2)).is<DistributedScheduledFuture<number>>()
  typeOf(fleet.scheduleAtFixedRate(resize, 0, 100, "a.png", 200)).is<DistributedScheduledFuture<void>>()
  typeOf(fleet.scheduleCron(add, "@daily", {}, 1, 2)).is<DistributedScheduledFuture<void>>()
  const scheduled: ScheduledFuture<number> = fleet.schedule(add, 100, 1, 2)
  void scheduled
  // @ts-expect-error an argument is missing
  fleet.schedule(add, 100, 1)
}

export function viewsCanDoTheSame(): void {
  const view = fleet.with({ id: "x", attempts: 3, retry: { delay: 5 }, maxDeaths: 2, timeout: 5, priority: 1 })
  typeOf(view).is<DistributedExecutorService>()
  typeOf(view.submit(add, 1, 2)).is<DistributedFuture<number>>()
  typeOf(view.shutdownNow()).is<Promise<Runnable[]>>()
  // @ts-expect-error nothing can be moved to another machine
  fleet.with({ transfer: [] })
  // @ts-expect-error functions do not travel
  fleet.with({ retry: { when: () => true } })
}

export function anExecutorNeedsNameEngineAndTasks(): void {
  void new DistributedExecutor({ name: "q", engine, tasks: { add, resize } })
  // @ts-expect-error the tasks are missing
  void new DistributedExecutor({ name: "q", engine })
  // @ts-expect-error an option that there is not
  void new DistributedExecutor({ name: "q", engine, tasks: {}, concurrency: 5 })
}
