/** How many tiles of the picture each thread has drawn. */
import { byId } from "./elements.ts"

/** Threads that follow each other have colours that are far apart. */
export function threadColour(thread: string, opacity = 1): string {
  return `hsl(${(Number(thread) * 137.5 + 70) % 360} 75% 68% / ${opacity})`
}

export function showShares(shares: ReadonlyMap<string, number>): void {
  const sorted = [...shares].sort(([a], [b]) => Number(a) - Number(b))
  const items = sorted.map(([thread, count]) => {
    const item = document.createElement("li")
    item.style.flexGrow = `${count}`
    item.style.flexBasis = "0"
    item.style.background = threadColour(thread)
    item.textContent = `thread ${thread}: ${count}`
    return item
  })
  byId("fractal-shares", HTMLUListElement).replaceChildren(...items)
}
