/** The process of one contender of a platform contest (sampling.ts). A sample is several numbers. */
import type { PlatformContender } from "./platform-contest.ts"
import { platformContests } from "./platform.ts"
import { answerWith, collectGarbage, contenderIn } from "./sampling.ts"

const contender: PlatformContender = contenderIn(platformContests)

answerWith(async (n) => {
  collectGarbage()
  return await contender.sample(n)
})
