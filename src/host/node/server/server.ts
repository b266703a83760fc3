/** Parts of the machine and of the process that a distributed executor needs. No browser has them. */
import { constants } from "node:os"

export { randomBytes, randomUUID } from "node:crypto"
export { hostname } from "node:os"

/** The number of this process. */
export const pid: number = process.pid

/** Whether the operating system has a signal of this name. */
export function isSignal(name: string): boolean {
  return Object.hasOwn(constants.signals, name)
}

type OnSignal = (signal: string) => void

/** From now on these signals call `received`, and do not end the process. */
export function listenToSignals(signals: readonly string[], received: OnSignal): void {
  for (const signal of signals) process.on(signal, received)
}

/** Restores the earlier meaning of the signals. */
export function forgetSignals(signals: readonly string[], received: OnSignal): void {
  for (const signal of signals) process.off(signal, received)
}

/** Ends the process with the exit code that shells give for a process that this signal has ended. */
export function exitBySignal(signal: string): never {
  // oxlint-disable-next-line unicorn/no-process-exit -- which is what is asked for
  return process.exit(128 + constants.signals[signal as NodeJS.Signals])
}
