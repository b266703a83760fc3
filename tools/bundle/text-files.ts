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
  /**
   * Where a thread has it in memory, in bytes: its first `split` bytes from `start` on, with the texts that every thread of a pool loads, and the others from `rest` on. So
   * the former are together in memory. Before the first one, there is a word for each file that tells whether it has been read.
   */
  readonly start: number
  readonly split: number
  readonly rest: number
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
 * The files, given the chunks that each may have. A chunk is in the first that may have it. Those that every thread loads (`first`) come first, and otherwise chunks have the order of
 * `texts`. `boot` is a text that is not the code of a chunk: the one that a thread of a bundle begins with.
 */
export function layOut(
  texts: ReadonlyMap<string, string>,
  first: ReadonlySet<string>,
  groups: ReadonlyMap<string, ReadonlySet<string>>,
  { group: bootGroup, text: bootText }: { readonly group: string; readonly text: string },
): TextFiles {
  const taken = new Set<string>()
  const order = [...[...texts.keys()].filter((name) => first.has(name)), ...texts.keys()]
  const chosen = [...groups].map(([group, wanted]) => {
    const names = [...new Set(order)].filter((name) => wanted.has(name) && !taken.has(name))
    for (const name of names) taken.add(name)
    return { group, names }
  })
  const missing = [...texts.keys()].filter((name) => !taken.has(name))
  if (missing.length > 0) throw new Error(`No entry needs ${missing.join(", ")}`)
  const written = chosen
    .filter(({ names }) => names.length > 0)
    .map(({ group, names }) =>
      write(group, first, [
        ...names.map((name): [string, string] => [name, `\n${HEAD}${texts.get(name) ?? ""}${TAIL}`]),
        ...(group === bootGroup ? [[BOOT, bootText] as [string, string]] : []),
      ]),
    )
  const places = new Map<string, Place>()
  const files: TextFile[] = []
  let start = 4 * written.length
  let rest = start + written.reduce((sum, { split }) => sum + split, 0)
  for (const { name, text, split, spans } of written) {
    for (const { name: chunk, begin, end, line } of spans) {
      const move = end <= split ? start : rest - split
      places.set(chunk, { file: files.length, start: move + begin, end: move + end, line })
    }
    files.push({ name, text, start, split, rest })
    start += split
    rest += text.length - split
  }
  return { files, places, size: Math.ceil(rest / 4) * 4 }
}

interface Written {
  readonly name: string
  readonly text: string
  readonly split: number
  /** Where the texts are in it. */
  readonly spans: readonly {
    readonly name: string
    readonly begin: number
    readonly end: number
    readonly line: number
  }[]
}

/** A file with these texts. */
function write(group: string, first: ReadonlySet<string>, texts: readonly (readonly [string, string])[]): Written {
  let text = `"use strict";const raw=String.raw;module.exports={`
  let split = 0
  const spans: Written["spans"][number][] = []
  for (const [name, code] of texts) {
    text += `${JSON.stringify(name)}:raw\``
    const begin = text.length
    const line = text.split("\n").length - 1
    text += code
    spans.push({ name, begin, end: text.length, line })
    if (first.has(name)) split = text.length
    text += "`,\n"
  }
  return { name: `code-${group}.cjs`, text: `${text}};\n`, split, spans }
}
