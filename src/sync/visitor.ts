import type { WaitNode } from "../memory/wait/wait-node.ts"

/** A flow that exchanges bytes with a flow of another thread. */
export class Visitor {
  readonly node: WaitNode
  /** The block of its offer; 0 if it offers nothing in the hall. */
  block = 0
  /** What the partner has given. */
  bytes: Uint8Array | undefined

  constructor(node: WaitNode) {
    this.node = node
  }
}
