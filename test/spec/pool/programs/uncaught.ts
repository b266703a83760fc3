/** Program: a command throws and nobody handles it. As in Java that is printed, and the program goes on. */
import { Executors, virtualThreads } from "corepool"

const pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "worker" }))
pool.execute(() => {
  throw new Error("on purpose")
})
pool.submit(() => {
  throw new Error("kept in its future")
})
console.log(await pool.submit(() => "goes on"))
