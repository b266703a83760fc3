/**
 * The published files of code, `code-*.cjs`. Each exports texts by name: functions that have the code of a file of chunk-table.ts in them.
 *
 * Why texts. A thread of a bundled program has no file to start from, so the bundle must have the code of threads as text. A bundler leaves strings as they are, but
 * what it makes of code can no longer be moved to another thread: it refers to what the bundler has put around it. If the program
 * itself runs the same texts, then the code is in the package, and in a bundle, once.
 *
 * A program that runs corepool from its own files reads the bytes of these files, and takes the texts from where they stand there (own-loader.ts, thread.ts). All others
 * load them by `require`.
 *
 * A bundle has a file as a whole. So each file has the code that is in a bundle of the same entries.
 */
import type { Chunks } from "./chunks.ts"
import { HEAD, TAIL } from "./thread.ts"

/** The name of the text that a thread of a bundle begins with. */
export const BOOT = "boot"

/** Where a text is. */
export interface Place {
  /** The number of its file. */
  readonly file: number
  /** In bytes, from the beginning of the memory that has all files; see {@link TextFile.start}. */
  readonly start: number
  readonly end: number
  /** How many lines are before it in its file. */
  readonly line: number
}

export interface TextFile {
  readonly name: string
  readonly text: string
  /** Where a thread has it in memory, in bytes. Before the first one, there is a word for each that tells whether it has been read. */
  readonly start: number
}

export interface TextFiles {
  readonly files: readonly TextFile[]
  readonly places: ReadonlyMap<string, Place>
  /** The size of the memory for all. */
  readonly size: number
}

/** The chunks that a program may load that begins with these. */
export function reachable({ uses }: Pick<Chunks, "uses">, first: Iterable<string>): Set<string> {
  const all = new Set(first)
  for (const chunk of all) for (const used of uses.get(chunk) ?? []) all.add(used)
  return all
}

/**
 * The files, given the chunks that each may have. A chunk is in the first that may have it, and chunks have the order of `texts`. `boot` is a text that is not the code of a
 * chunk: the one that a thread of a bundle begins with.
 */
export function layOut(
  texts: ReadonlyMap<string, string>,
  groups: ReadonlyMap<string, ReadonlySet<string>>,
  { group: bootGroup, text: bootText }: { readonly group: string; readonly text: string },
): TextFiles {
  const taken = new Set<string>()
  const chosen = [...groups].map(([group, wanted]) => {
    const names = [...texts.keys()].filter((name) => wanted.has(name) && !taken.has(name))
    for (const name of names) taken.add(name)
    return { group, names }
  })
  const missing = [...texts.keys()].filter((name) => !taken.has(name))
  if (missing.length > 0) throw new Error(`No entry needs ${missing.join(", ")}`)
  const full = chosen.filter(({ names }) => names.length > 0)
  const places = new Map<string, Place>()
  const files: TextFile[] = []
  let start = 4 * full.length
  for (const { group, names } of full) {
    let text = `"use strict";const raw=String.raw;module.exports={`
    const add = (name: string, code: string): void => {
      text += `${JSON.stringify(name)}:raw\``
      const begin = start + text.length
      const line = text.split("\n").length - 1
      text += code
      places.set(name, { file: files.length, start: begin, end: start + text.length, line })
      text += "`,\n"
    }
    for (const name of names) add(name, `\n${HEAD}${texts.get(name) ?? ""}${TAIL}`)
    if (group === bootGroup) add(BOOT, bootText)
    text += "};\n"
    files.push({ name: `code-${group}.cjs`, text, start })
    start += text.length
  }
  return { files, places, size: Math.ceil(start / 4) * 4 }
}
