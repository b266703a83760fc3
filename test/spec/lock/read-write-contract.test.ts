import { ReentrantReadWriteLock } from "#src/lock/reentrant-read-write-lock.js"
import { lockContract } from "../../contract/lock.ts"

for (const fair of [false, true]) {
  const manner = fair ? "fair" : "not fair"
  lockContract({
    name: `WriteLock, ${manner}`,
    isExclusive: true,
    create: () => {
      const { writeLock } = new ReentrantReadWriteLock({ fair })
      return { lock: writeLock, blocker: writeLock }
    },
  })
  // Who writes keeps all others from reading, and who reads keeps all others from writing.
  lockContract({
    name: `ReadLock, ${manner}`,
    isExclusive: false,
    create: () => {
      const { readLock, writeLock } = new ReentrantReadWriteLock({ fair })
      return { lock: readLock, blocker: writeLock }
    },
  })
}
