/** Tasks that end soon after they are awaited. Rules: docs/spec/platform.md. */
import { Executors } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"

const add = (a: number, b: number): number => a + b

test("[PL70] a program that awaits one short task after the other keeps neither timers nor immediates waiting", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const served = { immediates: 0, timers: 0 }
  const again = (): void => {
    if (++served.immediates < 20) setImmediate(again)
  }
  setImmediate(again)
  const timer = setInterval(() => served.timers++, 1)
  // Ends only if both are served while tasks are awaited.
  for (let i = 0; served.immediates < 20 || served.timers < 20; i++) assert.equal(await pool.submit(add, i, 1), i + 1)
  clearInterval(timer)
})

test("[PL70] also if the program blocks for every second task", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const served = { timers: 0 }
  setTimeout(() => served.timers++, 1)
  while (served.timers === 0) assert.equal((await pool.submit(add, 1, 2)) + pool.submit(add, 3, 4).getSync(), 10)
})

test("[PL70] also if several flows await tasks", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const served = { timers: 0 }
  setTimeout(() => served.timers++, 1)
  const flow = async (): Promise<void> => {
    while (served.timers === 0) assert.equal(await pool.submit(add, 1, 2), 3)
  }
  await Promise.all([flow(), flow(), flow()])
})
