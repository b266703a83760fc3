/** What is measured in a browser, and of whom. The pages of the contenders are in `pages`; contender.js does the work. */

export interface BrowserContender {
  readonly name: string
  /** The page, a file of `pages`, and the module of its workers if that is bundled. */
  readonly page: string
  readonly worker?: string
}

export interface BrowserBout {
  /** As contender.js calls it. */
  readonly work: "burst" | "roundTrip" | "copied" | "moved"
  readonly title: string
  readonly n: number
  /** The part of the work that rivals are given; their times are told in proportion. */
  readonly rivalShare: number
  /** How many times as fast as comlink and workerpool corepool is to be. */
  readonly target?: number
}

export const COREPOOL: BrowserContender = { name: "corepool", page: "corepool.js" }
export const COMLINK: BrowserContender = { name: "comlink", page: "comlink.js", worker: "comlink-worker.js" }
export const WORKERPOOL: BrowserContender = {
  name: "workerpool",
  page: "workerpool.js",
  worker: "workerpool-worker.js",
}
export const POOLIFIER: BrowserContender = {
  name: "poolifier-web-worker",
  page: "poolifier.js",
  worker: "poolifier-worker.js",
}
/** Not on npm: it takes part if `--knitting` names the file of its browser build. */
export const KNITTING: BrowserContender = { name: "knitting", page: "knitting.js" }

/** Those whose workers cannot hand over what they return. */
export const WITHOUT_MOVES: ReadonlySet<BrowserContender> = new Set([POOLIFIER, KNITTING])

/** Those that the target is about. */
export const WITH_TARGET: ReadonlySet<BrowserContender> = new Set([COMLINK, WORKERPOOL])

export const BOUTS: readonly BrowserBout[] = [
  {
    work: "burst",
    title: "tiny tasks at once on 2 threads, Promise.all",
    n: 50_000,
    rivalShare: 0.1,
    target: 5,
  },
  { work: "roundTrip", title: "tiny tasks, one after the other", n: 2_000, rivalShare: 1 },
  { work: "copied", title: "tasks that get and return 1 MB, one after the other", n: 50, rivalShare: 1 },
  { work: "moved", title: "tasks that get and return a buffer of 1 MB that is moved", n: 50, rivalShare: 1 },
]
