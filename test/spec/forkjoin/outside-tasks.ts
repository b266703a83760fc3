/** Tasks for those who use them outside of a pool. */
import { CountedCompleter, type ForkJoinTask, RecursiveTask, task } from "corepool"
import { Fib } from "./classes.ts"
import { pass } from "./tasks.ts"

export function outcomeOf(part: ForkJoinTask<unknown>): unknown {
  try {
    return part.join()
  } catch (error) {
    return (error as Error).name
  }
}

/** Tasks that were cancelled, have failed, were completed, and were run, before they are forked. */
export function forkWhatIsOver(): unknown[] {
  const [cancelled, failed, completed, invoked] = [1, 2, 3, 10].map((n) => new Fib(n)) as [Fib, Fib, Fib, Fib]
  cancelled.cancel(true)
  failed.completeExceptionally(new RangeError("by hand"))
  completed.complete(7)
  invoked.invoke()
  return [cancelled, failed, completed, invoked].flatMap((part) => [outcomeOf(part.fork()), part.state])
}

export const forkInside = task(import.meta.url, function forkInside(): unknown[] {
  return forkWhatIsOver()
})

export class HeldTask extends RecursiveTask<string> {
  static {
    task(import.meta.url, this)
  }

  readonly gate: number

  constructor(gate: number) {
    super()
    this.gate = gate
  }

  protected compute(): string {
    pass(this.gate)
    return "held"
  }
}

export class HeldCompleter extends CountedCompleter<string> {
  static {
    task(import.meta.url, this)
  }

  readonly gate: number
  calls = 0

  constructor(completer: HeldCompleter | undefined, gate: number, pending: number) {
    super(completer, pending)
    this.gate = gate
  }

  compute(): void {
    pass(this.gate)
    this.tryComplete()
  }

  override onCompletion(): void {
    this.calls++
  }

  override get rawResult(): string {
    return "over"
  }
}

export class FailingCompleter extends CountedCompleter<number> {
  static {
    task(import.meta.url, this)
  }

  compute(): void {
    throw new RangeError("no")
  }
}
