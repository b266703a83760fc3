/**
 * Where the program of a worker thread comes from. Published bundles have another file in place of this one
 * (tools/bundle/chunks.ts), which is for the modules in build/src. Their threads run the bundles too: to load three
 * hundred files would take longer than everything else.
 */
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import type { Script } from "node:vm"

/** Code that was compiled, and can be kept for other threads. */
export type { Script } from "node:vm"

/** The program as texts, for a thread that cannot be started from a file. */
export interface WorkerSource {
  /** A few lines that compile the program and run it. */
  readonly boot: string
  /** The code that these may need, by the names of its parts. */
  readonly texts: Readonly<Record<string, string>>
}

/** Tells one build from another of the same version. */
export const BUILD: string = "modules"

/** The file that starts a thread; empty if this code is part of a bundle, not one of corepool's own files. */
export function threadFile(): string {
  return fileURLToPath(new URL("../../../../../dist/corepool-thread.cjs", import.meta.url))
}

/** Loaded only if it is needed: it is as long as all of corepool. */
export function workerSource(): WorkerSource {
  const load = createRequire(import.meta.url) as (path: string) => Record<string, string>
  const parts = ["lock", "codec", "sync", "queue", "main"].map((part) => load(`../../../../../dist/code-${part}.cjs`))
  const texts = Object.assign({}, ...parts) as Record<string, string>
  return { boot: texts["boot"] as string, texts }
}

/** The memory that has the texts of the program's files, or will have them; undefined if there is none yet. */
export function textMemory(): Int32Array | undefined {
  return undefined
}

/**
 * The files that every thread needs, by number, that this thread has loaded since the last call; none if it has loaded
 * them in a way that cannot be kept.
 */
export function takeScripts(): ReadonlyMap<number, Script> {
  return new Map()
}

/** Reads the texts of the program's files into that memory, for the threads that start: see tools/bundle/thread.ts. */
export function readTexts(): void {}
