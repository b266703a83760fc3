import { task } from "corepool"

export const triple = task(import.meta.url, function triple(n: number): number {
  return n * 3
})
