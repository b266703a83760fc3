/**
 * What the compiler has made of the program of worker threads, kept for threads to come. Every thread compiles the program for
 * itself, and that would be a third of the time that it takes to start. So the first thread that has run for a
 * moment leaves its code in shared memory, with all functions it has needed so far, and later ones begin with that.
 *
 * Only Node does something with it. It looks whether the code fits version and flags, and otherwise compiles anew.
 */
import { compareAndSet, load, sharedWords, store } from "#atomics"
import type { Script } from "node:vm"
import { perThread } from "../per-thread.ts"

/** Where the code is kept, for a program. The first word is its length in bytes, or one of these. */
export interface KeptCode {
  readonly program: string
  readonly words: Int32Array
}

const NONE = 0
const IN_WORK = -1
/** Several times what it takes, in words. What is not written to costs nothing. */
const ROOM = 1 << 19
const HEAD = 4

const here = perThread("worker code", () => ({ code: undefined as KeptCode | undefined }))

/** That of the program, for all threads that come from this one. */
export function keptCode(program: string): KeptCode {
  // The engine would take the code of another program for this one's, if both are of the same length.
  if (here.code?.program !== program) here.code = { program, words: sharedWords(ROOM) }
  return here.code
}

/** This thread has come from one that has it. */
export function inheritCode(code: KeptCode): void {
  here.code ??= code
}

export function codeIn({ words }: KeptCode): Uint8Array | undefined {
  const length = load(words, 0)
  return length > 0 ? new Uint8Array(words.buffer, HEAD, length) : undefined
}

/** Leaves the code of the program that this thread runs, unless another thread has. */
export function keepCode({ words }: KeptCode, script: Script): void {
  if (!compareAndSet(words, 0, NONE, IN_WORK)) return
  const code = script.createCachedData()
  if (code.length > words.byteLength - HEAD) return
  new Uint8Array(words.buffer, HEAD).set(code)
  store(words, 0, code.length)
}
