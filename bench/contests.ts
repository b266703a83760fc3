import type { Contest } from "./contest.ts"
import { forkjoin } from "./forkjoin.ts"
import { memory } from "./memory.ts"
import { parallel } from "./parallel.ts"
import { pool } from "./pool.ts"
import { queues } from "./queues.ts"
import { synchronizers } from "./synchronizers.ts"

export const contests: readonly Contest[] = [pool, queues, synchronizers, forkjoin, parallel, memory]
