/**
 * The process of one contender: `platform-child.js <contest> <bout> <contender>`, the bout by its number. Each message is a
 * request for one sample; the answer is the sample, or why there is none.
 */
import { contendersIn, type PlatformContender, type Sample } from "./platform-contest.ts"
import { platformContests } from "./platform.ts"

export interface PlatformRequest {
  readonly n: number
}

export type PlatformAnswer = { readonly sample: Sample } | { readonly error: string }

const [contestName, boutNumber, contenderName] = process.argv.slice(2)

function find(): PlatformContender {
  const bout = platformContests.find(({ name }) => name === contestName)?.bouts[Number(boutNumber)]
  const contender = bout && contendersIn(bout).find(({ name }) => name === contenderName)
  if (contender === undefined) throw new Error(`There is no contender ${process.argv.slice(2).join(" / ")}`)
  return contender
}

const contender = find()

async function answer({ n }: PlatformRequest): Promise<PlatformAnswer> {
  try {
    if (globalThis.gc === undefined) throw new Error("Start this with --expose-gc")
    // What the last run left behind is not this one's to clear away.
    globalThis.gc()
    return { sample: await contender.sample(n) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.on("message", (request: PlatformRequest) => {
  void answer(request).then((reply) => process.send?.(reply))
})
