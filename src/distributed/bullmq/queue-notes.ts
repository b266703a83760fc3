import type { BullBackend } from "./bull-types.ts"
import { toStorable } from "./names.ts"

/** The notes of a queue: short texts beside its jobs, such as the records of nodes. BullMQ keeps them as metadata. */
export class QueueNotes {
  readonly #control: BullBackend

  /** `control` is the queue for messages between processes: see `controlQueue`. */
  constructor(control: BullBackend) {
    this.#control = control
  }

  async setNote(field: string, text: string): Promise<void> {
    await this.#control.setQueueMeta({ [field]: toStorable(text) })
  }

  notes(): Promise<Record<string, string>> {
    return this.#control.getQueueMeta()
  }

  async removeNotes(fields: string[]): Promise<void> {
    await this.#control.removeQueueMetaFields(fields)
  }
}
