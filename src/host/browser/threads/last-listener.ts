import { callLast } from "./farewell.ts"

/** Calls `act` when the thread ends in order, after all others. */
export function atTheVeryEnd(act: () => void): void {
  callLast(act)
}
