/**
 * The checker against an interpreter that knows no replay, no visited states and no private words: it runs every
 * interleaving of a program from its beginning to its end. Both must come to the same ends.
 */
import assert from "node:assert/strict"
import test from "node:test"
import fc from "fast-check"
import { add, compareAndSet, exchange, load, notify, sharedWords, store, wait } from "#atomics"
import { explore, type Limits, ModelViolation } from "./explore.ts"

const WORDS = 3

interface Instruction {
  readonly code: "load" | "notify" | "store" | "add" | "exchange" | "cas" | "wait"
  readonly word: number
  readonly value: number
  /** What `cas` sets. */
  readonly next: number
}

type Program = readonly (readonly Instruction[])[]

const LOST = "lost wake-up"

/**
 * All ends: what each thread has seen and what memory holds, or that somebody sleeps for ever.
 *
 * @param bound how often a thread may be left though it could go on
 */
function interpret(program: Program, bound: number): Set<string> {
  const ends = new Set<string>()
  const walk = (
    memory: number[],
    at: number[],
    asleep: number[],
    seen: number[][],
    last: number,
    preemptions: number,
  ): void => {
    let stuck = true
    const canGoOn = (thread: number): boolean =>
      asleep[thread] === -1 && program[thread]?.[at[thread] as number] !== undefined
    for (let thread = 0; thread < program.length; thread++) {
      const instruction = program[thread]?.[at[thread] as number]
      if (instruction === undefined || asleep[thread] !== -1) continue
      stuck = false
      const left = preemptions - (thread !== last && canGoOn(last) ? 1 : 0)
      if (left < 0) continue
      const nowMemory = [...memory]
      const nowAt = at.with(thread, (at[thread] as number) + 1)
      let nowAsleep = asleep
      const { word } = instruction
      const old = memory[word] as number
      let result: number | undefined
      if (instruction.code === "notify") nowAsleep = asleep.map((place) => (place === word ? -1 : place))
      else if (instruction.code === "wait") nowAsleep = old === instruction.value ? asleep.with(thread, word) : asleep
      else if (instruction.code === "load") result = old
      else if (instruction.code === "store") nowMemory[word] = instruction.value
      else if (instruction.code === "cas") {
        result = old === instruction.value ? 1 : 0
        if (result === 1) nowMemory[word] = instruction.next
      } else {
        result = old
        nowMemory[word] = instruction.code === "add" ? old + instruction.value : instruction.value
      }
      const nowSeen = result === undefined ? seen : seen.with(thread, [...(seen[thread] as number[]), result])
      walk(nowMemory, nowAt, nowAsleep, nowSeen, thread, left)
    }
    if (stuck) ends.add(asleep.every((place) => place === -1) ? JSON.stringify([memory, seen]) : LOST)
  }
  const none = program.map(() => 0)
  walk(
    Array.from({ length: WORDS }, () => 0),
    none,
    none.map(() => -1),
    none.map(() => []),
    -1,
    bound,
  )
  return ends
}

function run(instructions: readonly Instruction[], words: Int32Array): number[] {
  const seen: number[] = []
  for (const instruction of instructions) {
    const { code, word } = instruction
    if (code === "load") seen.push(load(words, word))
    else if (code === "notify") notify(words, word)
    else if (code === "store") store(words, word, instruction.value)
    else if (code === "add") seen.push(add(words, word, instruction.value))
    else if (code === "exchange") seen.push(exchange(words, word, instruction.value))
    else if (code === "cas") seen.push(compareAndSet(words, word, instruction.value, instruction.next) ? 1 : 0)
    else wait(words, word, instruction.value, Infinity)
  }
  return seen
}

function check(program: Program, limits: Limits = {}): Set<string> {
  const ends = new Set<string>()
  try {
    explore({
      setup: () => sharedWords(WORDS),
      threads: Object.fromEntries(
        program.map((instructions, thread) => [`t${thread}`, (words: Int32Array) => run(instructions, words)]),
      ),
      ...limits,
      finally: (words, outcomes) => void ends.add(JSON.stringify([[...words], Object.values(outcomes)])),
    })
  } catch (error) {
    if (!(error instanceof ModelViolation)) throw error
    return new Set([error.kind])
  }
  return ends
}

const word = fc.nat({ max: WORDS - 1 })
const value = fc.nat({ max: 2 })
const instructions = (...codes: Instruction["code"][]): fc.Arbitrary<Instruction> =>
  fc.record({ code: fc.constantFrom(...codes), word, value, next: value })
const change = instructions("load", "notify", "store", "add", "exchange", "cas")
const any = fc.oneof({ weight: 5, arbitrary: change }, { weight: 1, arbitrary: instructions("wait") })

const RUNS = 300 * Number(process.env["STRESS"] ?? 1)

/** Two threads of up to five instructions, or three of up to three: more is too much for the interpreter. */
const programs = (one: fc.Arbitrary<Instruction>): fc.Arbitrary<Program> =>
  fc.oneof(
    fc.array(fc.array(one, { maxLength: 5 }), { minLength: 2, maxLength: 2 }),
    fc.array(fc.array(one, { maxLength: 3 }), { minLength: 3, maxLength: 3 }),
  )

test("[MC1][MC2][MC40] every end that an interpreter finds is found, and no other", () => {
  fc.assert(
    fc.property(programs(change), (program) => {
      assert.deepEqual([...check(program)].sort(), [...interpret(program, Infinity)].sort())
    }),
    { numRuns: RUNS },
  )
})

test("[MC13][MC17][MC40] a lost wake-up is found exactly where the interpreter finds one", () => {
  fc.assert(
    fc.property(programs(any), (program) => {
      const expected = interpret(program, Infinity)
      const found = check(program)
      if (expected.has(LOST)) assert.deepEqual([...found], [LOST])
      else assert.deepEqual([...found].sort(), [...expected].sort())
    }),
    { numRuns: RUNS },
  )
})

test("[MC13][MC40] one who wakes another in a step that nobody could notice goes on as itself", () => {
  const program: Program = [
    [{ code: "wait", word: 2, value: 0, next: 0 }],
    [
      { code: "store", word: 1, value: 2, next: 0 },
      { code: "notify", word: 2, value: 0, next: 0 },
      { code: "wait", word: 1, value: 2, next: 0 },
    ],
  ]
  assert.deepEqual([...check(program)], [LOST])
})

test("[MC4][MC40] the same with a bound of preemptions", () => {
  fc.assert(
    fc.property(programs(change), fc.nat({ max: 2 }), (program, preemptions) => {
      assert.deepEqual([...check(program, { preemptions })].sort(), [...interpret(program, preemptions)].sort())
    }),
    { numRuns: RUNS },
  )
})
