/**
 * Words for state that only this thread's flows touch: a future's state, a flow's interrupt flag.
 *
 * State machines are written over `(words, index)` so that the same code runs over a slot in shared memory and over an
 * ordinary page. An `Int32Array` per future would cost more than the future itself; so pages of {@link PAGE} words are
 * cut into single words. A word is never given back: its holder refers to its page, and the garbage collector frees the
 * page with its last holder.
 *
 * Why not larger pages: one long-lived future pins its whole page.
 */

const PAGE = 256

let page = new Int32Array(PAGE)
let used = 0

/**
 * The page on which the next word lies; it holds 0. Take its number with {@link nextIndex} right after:
 * page and number come from two calls only to save an object per future.
 */
export function nextPage(): Int32Array {
  if (used === PAGE) {
    page = new Int32Array(PAGE)
    used = 0
  }
  return page
}

/** Takes the next word of the page that {@link nextPage} just returned. */
export function nextIndex(): number {
  return used++
}
