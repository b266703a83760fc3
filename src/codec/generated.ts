/**
 * Functions made for lists of keys that come often. What they do is no secret:
 *
 *     (reader) => ({ "a": reader.value(), "b": reader.value() })
 *     (writer, object) => { writer.member(object, object["a"], "a"); writer.member(object, object["b"], "b") }
 *
 * In these the engine knows of each place what object it deals with. In a loop over keys, through which all objects go,
 * it knows nothing, and looks everything up.
 *
 * Nothing of a key gets into the text but itself, as a literal that is written as JSON: whatever the key is, it stays a
 * key. A program that forbids to make functions of texts has the loops.
 */

/** To make a function takes about as long as doing without it so many times. */
export const OFTEN = 200

/** What reads the next value. */
export interface ValueReader {
  value(): unknown
}

export type Builder = (reader: ValueReader) => object

/** What writes a member. */
export interface MemberWriter {
  member(object: object, value: unknown, key: string): void
}

export type MembersWriter = (writer: MemberWriter, object: object) => void

/** Not for keys that mean something in a literal, as `__proto__` does. */
export function builderFor(keys: readonly string[]): Builder | undefined {
  const members = keys.map((key) => `${JSON.stringify(key)}: reader.value()`)
  return make(["reader"], `return { ${members.join(", ")} }`) as Builder | undefined
}

export function writerFor(keys: readonly string[]): MembersWriter | undefined {
  const statements = keys.map((key) => {
    const literal = JSON.stringify(key)
    return `writer.member(object, object[${literal}], ${literal})`
  })
  return make(["writer", "object"], statements.join("\n")) as MembersWriter | undefined
}

let isAllowed = true

function make(parameters: readonly string[], body: string): unknown {
  if (!isAllowed) return undefined
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- see above
    return new Function(...parameters, `"use strict"; ${body}`)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    isAllowed = false
    return undefined
  }
}
