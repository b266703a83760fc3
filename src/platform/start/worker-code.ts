/**
 * Keeps the program of worker threads, and its compiled code, for later threads. If every thread compiled the program
 * for itself, that would be a third of the time that it takes to start. So threads begin with code that others have
 * compiled, in shared memory:
 *
 * - The thread that starts others leaves the code of the files that it has loaded itself, while the first of these
 *   threads starts.
 * - The first thread that has run for a moment leaves its own code, with all functions it has needed so far; later
 *   threads take that instead.
 *
 * Only Node uses it. Node checks whether the code fits version and flags, and otherwise compiles anew.
 *
 * The texts are there too, on all runtimes: a thread that loads a file of the program after tasks have run in it can no
 * longer trust `node:fs`.
 */
import { compareAndSet, load, sharedWords, store } from "#atomics"
import { keepsCode } from "#host/runtime/capabilities"
import { type Script, textMemory } from "#host/threads/worker-source"
import { perThread } from "../../per-thread.ts"

/** Where the code of a build is kept. */
export interface KeptCode {
  readonly build: string
  /**
   * One for each file of the program, in two halves: the code of a thread that has run it, and that of the thread that
   * has started it. Each half begins with the length in bytes, or NONE or IN_WORK.
   */
  readonly regions: readonly Int32Array[]
  /** The texts of all files, once a thread has read them: see tools/bundle/thread.ts. */
  readonly texts: Int32Array
}

const NONE = 0
const IN_WORK = -1
/** More than there are files. */
const FILES = 48
/** Several times what a file takes, in words. Memory that is not written to costs nothing. */
const ROOM = 1 << 17
const HEAD = 8
/** Almost twice what the texts take, in words. If it is too little, a thread keeps them in memory of its own. */
const TEXT_ROOM = 1 << 18

/** Where the halves of a region begin, in words. */
export const RUN: number = 0
export const STARTED: number = ROOM

const here = perThread("worker code", () => ({ code: undefined as KeptCode | undefined }))

/** The code of a build, for all threads that come from this one. */
export function keptCode(build: string): KeptCode {
  // The engine would accept the code of another program of the same length for this one's.
  if (here.code?.build !== build) {
    const regions = Array.from({ length: keepsCode ? FILES : 0 }, () => sharedWords(2 * ROOM))
    here.code = { build, regions, texts: textMemory() ?? sharedWords(TEXT_ROOM) }
  }
  return here.code
}

/** Takes over the code from the thread that has started this one. */
export function inheritCode(code: KeptCode): void {
  here.code ??= code
}

/** The code that a thread would take (tools/bundle/thread.ts does the same, by itself). */
export function codeIn(region: Int32Array): Uint8Array | undefined {
  for (const half of [RUN, STARTED]) {
    const length = load(region, half)
    if (length > 0) return new Uint8Array(region.buffer, half * 4 + HEAD, length)
  }
  return undefined
}

/** Leaves the code of a file in this half, unless another thread has. */
export function keepCode(region: Int32Array | undefined, half: number, script: Script): void {
  if (region === undefined || !compareAndSet(region, half, NONE, IN_WORK)) return
  const code = script.createCachedData()
  if (code.length > ROOM * 4 - HEAD) return
  new Uint8Array(region.buffer, half * 4 + HEAD).set(code)
  store(region, half, code.length)
}
