import type { Flow } from "../../memory/flow/flow.ts"
import { ListCore } from "./list-core.ts"

/** The list of a deque, whose operations without a time limit notice an interrupt only if they have to wait. */
export class DequeCore<E> extends ListCore<E> {
  override enter(flow: Flow, _what: "put" | "take", timed: boolean): void {
    if (timed) flow.throwIfInterrupted()
  }

  protected override get noun(): string {
    return "Deque"
  }
}
