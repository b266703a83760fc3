/** What the compiler knows about scheduled tasks. */
import type { ScheduledExecutorService, ScheduledFuture } from "corepool"
import { typeOf } from "./same.ts"

declare const scheduler: ScheduledExecutorService

declare function add(a: number, b: number): number
declare function beat(name: string): Promise<string>

export function scheduleInfersArgumentsAndResult(): void {
  typeOf(scheduler.schedule(add, 100, 1, 2)).is<ScheduledFuture<number>>()
  typeOf(scheduler.schedule(beat, 100, "tick")).is<ScheduledFuture<string>>()
  // @ts-expect-error an argument is missing
  scheduler.schedule(add, 100, 1)
  // @ts-expect-error the delay comes before the arguments, as a number
  scheduler.schedule(beat, "tick", 100)
}

export function periodicTasksHaveNoResult(): void {
  typeOf(scheduler.scheduleAtFixedRate(beat, 0, 100, "tick")).is<ScheduledFuture<void>>()
  typeOf(scheduler.scheduleWithFixedDelay(beat, 0, 100, "tick")).is<ScheduledFuture<void>>()
  // @ts-expect-error the period is missing
  scheduler.scheduleAtFixedRate(() => {}, 0)
  // @ts-expect-error an argument of the wrong type
  scheduler.scheduleWithFixedDelay(beat, 0, 100, 1)
}

export function calendarTasksTakeTheirArgumentsAfterTheOptions(): void {
  typeOf(scheduler.scheduleCron(beat, "@daily", { timezone: "UTC" }, "tick")).is<ScheduledFuture<void>>()
  typeOf(scheduler.scheduleCron(beat, "@daily", undefined, "tick")).is<ScheduledFuture<void>>()
  typeOf(scheduler.scheduleCron(() => {}, "@daily")).is<ScheduledFuture<void>>()
  // @ts-expect-error an argument is missing
  scheduler.scheduleCron(beat, "@daily", {})
  // @ts-expect-error an option that there is not
  scheduler.scheduleCron(() => {}, "@daily", { zone: "UTC" })
}
