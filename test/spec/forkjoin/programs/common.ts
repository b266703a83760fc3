/** Uses the common pool, and ends. */
import { fork } from "corepool"
import { fib } from "../tasks.ts"

console.log(await fork(fib, 12))
