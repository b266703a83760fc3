/** The object of 1 KB that tasks carry in and out. */
import type { Entry } from "./tasks/work.ts"

export const TEXT: string = "The quick brown fox jumps over the lazy dog. ".repeat(9)

/** 1 KB as JSON. */
export function entry(id: number): Entry {
  return {
    id,
    name: `entry number ${id}`,
    active: id % 2 === 0,
    tags: ["red", "green", "blue", "a longer one than these"],
    position: { x: id + 0.5, y: -id, z: 1 / (id + 1) },
    values: Array.from({ length: 60 }, (_, i) => (id * 31 + i * 7) % 1000),
    text: TEXT,
  }
}
