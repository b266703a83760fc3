/** Where the program of a worker comes from: a module beside this one, which the browser or a bundler loads. */

/** No code is kept for other threads. */
export type Script = object

export interface WorkerSource {
  readonly boot: string
  readonly texts: Readonly<Record<string, string>>
}

export const BUILD = "browser"

/** The RuntimeThread knows the module by itself: see workers.ts. */
export function threadFile(): string {
  return "corepool"
}

export function workerSource(): WorkerSource {
  return { boot: "", texts: {} }
}

export function takeScripts(): ReadonlyMap<number, Script> {
  return new Map<number, Script>()
}

/** A browser loads the files by itself. */
export function readTexts(): void {}

export function textMemory(): Int32Array | undefined {
  return undefined
}
