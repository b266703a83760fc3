/** What threads do with parts of locks, and with synchronizers of the program's own. */
import { AbstractQueuedSynchronizer, type AtomicInteger, type Condition, type Lock, registerClass } from "corepool"

export class Mutex extends AbstractQueuedSynchronizer {
  label = "new"

  get value(): number {
    return this.state
  }

  protected override tryAcquire(): boolean {
    return this.compareAndSetState(0, 1)
  }

  protected override tryRelease(): boolean {
    this.state = 0
    return true
  }

  protected override isHeldExclusively(): boolean {
    return this.state === 1
  }
}
registerClass(Mutex)

/** Not registered. */
export class OtherMutex extends Mutex {}

/** Whether both can be had now. */
export function tryBoth(first: Lock, second: Lock): boolean[] {
  return [first, second].map((lock) => {
    const isHeld = lock.tryLock()
    if (isHeld) lock.unlock()
    return isHeld
  })
}

/** Says so, too: a wait may end without a signal. */
export function signal(lock: Lock, condition: Condition, isSignalled: AtomicInteger): void {
  using _guard = lock.lockSync()
  isSignalled.set(1)
  condition.signal()
}

export function signalOf(condition: Condition, mutex: Mutex, isSignalled: AtomicInteger): void {
  mutex.acquireSync(1)
  isSignalled.set(1)
  condition.signal()
  mutex.release(1)
}

export function same<T>(value: T): T {
  return value
}

let last: unknown

/** Its class, state and field, and whether it is the very object that came last. */
export function look(mutex: Mutex): [isMutex: boolean, value: number, label: string, isSame: boolean] {
  const isSame = last === mutex
  last = mutex
  return [mutex instanceof Mutex, mutex.value, mutex.label, isSame]
}

export function release(mutex: Mutex): void {
  mutex.release(1)
}
