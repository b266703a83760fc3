import { ReentrantLock } from "corepool"
import { lockContract } from "../../contract/lock.ts"

for (const fair of [false, true]) {
  lockContract({
    name: `ReentrantLock, ${fair ? "fair" : "not fair"}`,
    isExclusive: true,
    create: () => {
      const lock = new ReentrantLock({ fair })
      return { lock, blocker: lock }
    },
  })
}
