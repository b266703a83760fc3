/** Classes of a program whose members have all the names that members of the inside once had. */
import { RecursiveTask, task } from "corepool"

/** Names that corepool's own members had, and more that they might have. */
export const NAMES: readonly string[] = (
  "abandon accept adopt announce arrived asFuture begin behead callable canBeJoined causeOfCancellation check clock closing comeBack complete completion " +
  "completeAs computeAll core cursor decide defaultWindow demand differs endCopy endingOf engine enter equal expire extract face fail failAlone finish flow " +
  "giveToEngine goTo handleOf heap hidden holdTasks holdTasksIn insert inserting isFresh isPartOf isPortable isRemote isRunning isSettled iterator label leaveTo lieIn " +
  "mayEnd memory misused moved note noteContention noteQueued noun obtain onShutdown open ordersByPriority outcome owner peekAt portable queue ready receive received " +
  "refusal refuseToBlock releaseAll remember remoteHandle remoteTasks remoteTime removeOne removeWhere renew report reportUncaught requireOwn restore resultOf returned " +
  "runHere runRemotely sendArguments settle shared slot sync takeBack takeSlot taking task taskFor timing toShared tryAcquireAgain tryOutOfTurn typeName vacated " +
  "waitToInsert waitToTake waiters walk watch watcher whyNothing willBeAwaited wipe withdraw words work workArguments"
).split(" ")

/** Gives the class a method of each of these names that is not public in the classes it extends. Each throws. */
export function crowd(type: { readonly prototype: object; readonly name: string }): void {
  const above = Object.getPrototypeOf(type.prototype) as object
  for (const name of NAMES) {
    if (name in above) continue
    Object.defineProperty(type.prototype, name, {
      configurable: true,
      value() {
        throw new Error(`corepool has called ${type.name}.${name}()`)
      },
    })
  }
}

export class Fib extends RecursiveTask<number> {
  static {
    task(import.meta.url, this)
    crowd(this)
  }

  readonly n: number

  constructor(n: number) {
    super()
    this.n = n
  }

  protected compute(): number {
    if (this.n < 2) return this.n
    const other = new Fib(this.n - 1)
    other.fork()
    return new Fib(this.n - 2).invoke() + other.join()
  }
}

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})
