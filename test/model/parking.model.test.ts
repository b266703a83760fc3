/** Parking: a thread that sleeps until another one has done something, in both ways to wait. */
import { load, store } from "#atomics"
import { mainFlow } from "#src/memory/flow/flow.js"
import type { ThreadContext } from "#src/memory/thread/thread-context.js"
import { ENTERED, FREE } from "#src/memory/thread/node-pool.js"
import { WaitNode } from "#src/memory/wait/wait-node.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import { test } from "node:test"
import { explore } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertExplored } from "./support.ts"

const FLAG = 0
const SLEEPER = 1
const OTHER_FLAG = 2
const OTHER_SLEEPER = 3

function setup() {
  const program = new Program("sleeper", "waker", "second")
  return { program, words: program.words(4, "words", { FLAG, SLEEPER, OTHER_FLAG, OTHER_SLEEPER }) }
}
type S = ReturnType<typeof setup>

/** Publishes its node, and sleeps until the flag is up, or, if `mortal`, somebody has died. */
function* sleeping(
  threadContext: ThreadContext,
  words: Int32Array,
  flag: number,
  place: number,
  mortal = false,
): Steps<void> {
  const node = new WaitNode(threadContext, mainFlow, { isShared: false }, true, FREE, 0)
  store(words, place, node.index)
  const isOver = (): boolean => load(words, flag) !== 0 || (mortal && threadContext.registry.deaths > 0)
  while (!isOver()) yield node
  node.end()
}

const block = ({ program, words }: S): void => blocking(sleeping(program.enter("sleeper"), words, FLAG, SLEEPER))

/** Raises the flag, and wakes the sleeper if there is one. */
function wake(name: string, flag: number, place: number) {
  return ({ program, words }: S): void => {
    const threadContext = program.enter(name)
    store(words, flag, 1)
    const node = load(words, place)
    if (node !== 0) threadContext.wake(program.token("sleeper"), node)
  }
}

test("[MM1] a thread that blocks is woken, whenever the signal comes", () => {
  assertExplored(explore({ setup, threads: { sleeper: block, waker: wake("waker", FLAG, SLEEPER) } }), 50)
})

test("[MM1] a thread that awaits is woken, whenever the signal comes", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: ({ program, words }, self) => awaited(self, sleeping(program.enter("sleeper"), words, FLAG, SLEEPER)),
      waker: wake("waker", FLAG, SLEEPER),
    },
  })
  assertExplored(report, 50)
})

test("[MM1] two wakers at once wake one thread that awaits two things", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: ({ program, words }, self) => {
        const threadContext = program.enter("sleeper")
        awaited(self, sleeping(threadContext, words, FLAG, SLEEPER))
        awaited(self, sleeping(threadContext, words, OTHER_FLAG, OTHER_SLEEPER))
      },
      waker: wake("waker", FLAG, SLEEPER),
      second: wake("second", OTHER_FLAG, OTHER_SLEEPER),
    },
  })
  assertExplored(report, 500)
})

test("[MM2] a signal for a flow that awaits reaches it though its thread blocks for something else", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: ({ program, words }, self) => {
        const threadContext = program.enter("sleeper")
        awaited(self, sleeping(threadContext, words, OTHER_FLAG, OTHER_SLEEPER))
        blocking(sleeping(threadContext, words, FLAG, SLEEPER))
      },
      waker: wake("waker", FLAG, SLEEPER),
      second: wake("second", OTHER_FLAG, OTHER_SLEEPER),
    },
  })
  assertExplored(report, 500)
})

test("[MM3] a waker that dies at any step leaves a sleeper that hears of it, or of the signal", () => {
  for (const colour of ["blocks", "awaits"]) {
    const report = explore({
      setup,
      threads: {
        sleeper: ({ program, words }, self) => {
          const steps = sleeping(program.enter("sleeper"), words, FLAG, SLEEPER, true)
          if (colour === "blocks") blocking(steps)
          else awaited(self, steps)
        },
        waker: wake("waker", FLAG, SLEEPER),
      },
      kill: "waker",
      onKill: ({ program }, name) => program.reap(name),
    })
    assertExplored(report, 100)
  }
})

test("[MM3] after the death of a waker with the sleeper's node in its hands, another one can still wake it", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: block,
      // The flag it raises is nobody's: only its mail matters.
      waker: ({ program, words }) => {
        const threadContext = program.enter("waker")
        const node = load(words, SLEEPER)
        if (node !== 0) threadContext.wake(program.token("sleeper"), node)
      },
      second: wake("second", FLAG, SLEEPER),
    },
    kill: "waker",
    onKill: ({ program }, name) => program.reap(name),
  })
  assertExplored(report, 500)
})

test("[MM3] also if that one died when its mail had arrived, and the node was used again before it was read", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: ({ program, words }) => {
        const threadContext = program.enter("sleeper")
        blocking(sleeping(threadContext, words, FLAG, SLEEPER, true))
        blocking(sleeping(threadContext, words, OTHER_FLAG, OTHER_SLEEPER))
      },
      waker: wake("waker", FLAG, SLEEPER),
      second: wake("second", OTHER_FLAG, OTHER_SLEEPER),
    },
    kill: "waker",
    killAtWrites: false,
    preemptions: 2,
    onKill: ({ program }, name) => program.reap(name),
  })
  assertExplored(report, 500)
})

test("[MM3] also if it died, with its mail delivered, while the sleeper was hearing of another death", () => {
  const report = explore({
    setup: () => {
      const program = new Program("sleeper", "waker", "second", "dead")
      return { program, words: program.words(4, "words", { FLAG, SLEEPER, OTHER_FLAG, OTHER_SLEEPER }) }
    },
    threads: {
      sleeper: block,
      waker: ({ program, words }) => {
        const threadContext = program.enter("waker")
        const node = load(words, SLEEPER)
        if (node !== 0) threadContext.wake(program.token("sleeper"), node)
      },
      second: wake("second", FLAG, SLEEPER),
      reaper: ({ program }) => program.reap("dead"),
    },
    kill: "waker",
    killAtWrites: false,
    preemptions: 2,
    onKill: ({ program }, name) => program.reap(name),
  })
  assertExplored(report, 500)
})

test("[MM4] an interrupt from another thread ends a wait", () => {
  const report = explore({
    setup,
    threads: {
      sleeper: ({ program, words }) => {
        const threadContext = program.enter("sleeper")
        const flag = threadContext.registry.entryOf(threadContext.token) + 3
        // The flag of a flow that lives in the table of threads; the wait looks at nothing else of it.
        const flow = Object.create(mainFlow, {
          isInterrupted: { get: () => load(threadContext.registry.words, flag) !== 0 },
        }) as typeof mainFlow
        const node = new WaitNode(threadContext, flow, { isShared: false }, true, ENTERED, 0)
        store(words, SLEEPER, node.index)
        while (node.block(flow, Infinity) !== "interrupted");
        node.end()
      },
      waker: ({ program }) => program.registry.interrupt(program.token("sleeper")),
    },
  })
  assertExplored(report, 10)
})
