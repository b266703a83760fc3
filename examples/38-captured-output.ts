/**
 * The output of a task, in its future.
 *
 * Each task has its own, also if several run at once, if it fails, or if its thread dies. What is captured is not
 * printed; all else is.
 */
import { Executors, ThreadDeathError } from "corepool"

await using pool = Executors.newFixedThreadPool(2)
const quiet = pool.with({ capture: true })

const builds = ["client", "server"].map((name) =>
  quiet.submit(async (part: string) => {
    console.log(`compiling ${part}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
    console.error(`${part}: 2 warnings`)
    return part.length
  }, name),
)
console.log(await Promise.all(builds))
for (const { output } of builds) console.log(output)

const dead = quiet.submit(() => {
  console.log("about to leave")
  process.exit(1)
})
await dead.catch((error: unknown) => console.log(error instanceof ThreadDeathError))
console.log(dead.output?.stdout.trimEnd())

const talkative = pool.with({ capture: { limit: 19 } }).submit(() => console.log("tick ".repeat(1000)))
await talkative
console.log(talkative.output?.stdout.trimEnd())

// Output:
// [ 6, 6 ]
// { stdout: 'compiling client\n', stderr: 'client: 2 warnings\n' }
// { stdout: 'compiling server\n', stderr: 'server: 2 warnings\n' }
// true
// about to leave
// tick tick tick tick
// [cut by corepool: the output has more than 19 bytes]
