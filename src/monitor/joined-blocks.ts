import { rounded } from "./brevity.ts"
import type { Block } from "./wire.ts"

/** More blocks than that are not sent in a frame. */
const MOST_BLOCKS = 2000
/** The least width of the blocks that stand for many tasks, in ms. */
const LEAST_GRAIN = 4
/** The greatest: the time of a frame. */
const GREATEST_GRAIN = 256
/** Deeper blocks are joined with those of this depth. */
const DEEPEST = 7

interface Joined {
  /** Which multiple of the grain. */
  readonly cell: number
  readonly start: number
  end: number
  busy: number
  count: number
  /** The block that took longest. */
  longest: Block
  /** The worst outcome: a failure must not vanish among successes. */
  outcome: number
}

/**
 * There may be more tasks in a frame than a page can draw. Then a block stands for all tasks of a thread that began
 * within four milliseconds, or more if need be; it has the name of the function that took longest, and says how many
 * tasks it stands for. Blocks that are longer stay as they are.
 */
export function joined(blocks: readonly Block[]): { readonly blocks: readonly Block[]; readonly grain: number } {
  if (blocks.length <= MOST_BLOCKS) return { blocks, grain: 0 }
  for (let grain = LEAST_GRAIN; ; grain *= 2) {
    const fewer = joinedBy(blocks, grain)
    if (fewer.length <= MOST_BLOCKS || grain >= GREATEST_GRAIN) return { blocks: fewer, grain }
  }
}

function joinedBy(blocks: readonly Block[], grain: number): Block[] {
  /** The latest cell of each lane and depth. */
  const cells = new Map<number, Joined>()
  const kept: Block[] = []
  for (const block of blocks) {
    const [lane, , start, duration, , , outcome, count, depth, busy] = block
    if (duration >= grain) {
      kept.push(block)
      continue
    }
    const key = lane * (DEEPEST + 1) + Math.min(depth, DEEPEST)
    const cell = Math.floor(start / grain)
    const current = cells.get(key)
    if (current !== undefined && current.cell === cell) {
      current.end = Math.max(current.end, start + duration)
      current.busy += busy
      current.count += count
      current.outcome = Math.max(current.outcome, outcome)
      if (duration > current.longest[3]) current.longest = block
      continue
    }
    if (current !== undefined) kept.push(blockOf(current))
    cells.set(key, { cell, start, end: start + duration, busy, count, longest: block, outcome })
  }
  for (const cell of cells.values()) kept.push(blockOf(cell))
  return kept.sort((a, b) => a[2] + a[3] - b[2] - b[3])
}

function blockOf({ start, end, busy, count, longest, outcome }: Joined): Block {
  const [lane, name, , , wait, task, , , depth] = longest
  return [lane, name, start, rounded(end - start), wait, task, outcome, count, depth, rounded(busy)]
}
