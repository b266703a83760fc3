/**
 * The process of one contender, `<child>.js <contest> <bout> <contender>`, the bout by its number. Each message is a request for
 * one sample; the answer is the sample, or why there is none. The parent's end is contender-process.ts.
 */
import { contendersOf } from "./contest.ts"

/** What the parent sends. */
export interface Request {
  readonly n: number
}

/** What comes back. */
export type Answer<S> = { readonly sample: S } | { readonly error: string }

interface Named {
  readonly name: string
}

interface ContestOf<C> extends Named {
  readonly bouts: readonly { readonly pairs: readonly { readonly ours: C; readonly rival: C }[] }[]
}

export const [contestName, boutNumber, contenderName]: string[] = process.argv.slice(2)

/** The contender that this process is to be. */
export function contenderIn<C extends Named>(contests: readonly ContestOf<C>[]): C {
  const bout = contests.find(({ name }) => name === contestName)?.bouts[Number(boutNumber)]
  const contender = bout && contendersOf(bout).find(({ name }) => name === contenderName)
  if (contender === undefined) throw new Error(`There is no contender ${process.argv.slice(2).join(" / ")}`)
  return contender
}

/** Takes a sample whenever the parent asks for one, from now on. */
export function answerWith<S>(sample: (n: number) => Promise<S>): void {
  const answer = async ({ n }: Request): Promise<Answer<S>> => {
    try {
      return { sample: await sample(n) }
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  process.on("message", (request: Request) => {
    void answer(request).then((reply) => process.send?.(reply))
  })
}

/** What the last run left behind is not the next one's to clear away. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("Start this with --expose-gc")
  globalThis.gc()
}
