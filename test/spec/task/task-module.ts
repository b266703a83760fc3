import { task } from "#src/task/task.js"

export const double = task(import.meta.url, function double(n: number): number {
  return 2 * n
})

/** Exported under another name: it cannot be found. */
export const otherName = task(import.meta.url, function hidden(): void {})
