/** The elements of the page, by their ids. */

export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new TypeError(`The page has no ${kind.name} called ${id}`)
}

export const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement)
export const canvas = (id: string): HTMLCanvasElement => byId(id, HTMLCanvasElement)
export const input = (id: string): HTMLInputElement => byId(id, HTMLInputElement)

export function brush(on: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = on.getContext("2d")
  if (context === null) throw new Error("This browser does not draw")
  return context
}

/** A colour of style.css. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)
}

export function say(id: string, text: string): void {
  byId(id, HTMLElement).textContent = text
}

/** Calls at every frame of the page, until the function that it returns is called. */
export function eachFrame(call: (now: number) => void): () => void {
  let frame = requestAnimationFrame(function next(now) {
    frame = requestAnimationFrame(next)
    call(now)
  })
  return () => cancelAnimationFrame(frame)
}
