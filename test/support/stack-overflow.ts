/** What the runtime says when the stack is full; the words are its own. */
import { thrownBy } from "./harness.ts"

export const STACK_OVERFLOW: string = (thrownBy(deeper) as Error).message

function deeper(): unknown {
  return [deeper()]
}
