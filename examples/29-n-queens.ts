/**
 * In how many ways thirteen queens can stand on a board of 13 × 13 without attacking each other.
 *
 * A task forks a part of itself for each queen of a row. Threads that have nothing to do steal the oldest such part, which is the
 * largest; parts that nobody steals are plain calls.
 */
import { queens } from "./support/queens.ts"
import { speedUp } from "./support/speed-up.ts"

const size = 13
const solutions = await speedUp((pool) => pool.invoke(queens, size, size, 0, 0, 0))
console.log(`${size} queens: ${solutions} solutions`)

// Output:
// 13 queens: 73712 solutions
