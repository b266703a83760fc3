/** A message of which parts are moved to the other thread and not copied, as workerpool marks them. */
export class Transfer {
  /** What is sent. */
  readonly message: unknown
  /** What of it is moved. */
  readonly transfer: readonly object[]

  /** `transfer`: the buffers, ports or other objects in the message that are moved. */
  constructor(message: unknown, transfer: readonly object[]) {
    this.message = message
    this.transfer = transfer
  }
}
