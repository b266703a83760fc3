/**
 * Generated functions for lists of keys that come often:
 *
 *     (reader) => ({ "a": reader.value(), "b": reader.value() })
 *     (writer, object) => { writer.member(object, object["a"], "a"); writer.member(object, object["b"], "b") }
 *
 * In such a function the engine knows the shape of the object at each place. In a loop over keys, through which all
 * objects go, it does not, and looks everything up.
 *
 * A key gets into the text only as a JSON literal: whatever the key is, it stays a key. If the program forbids making
 * functions from text, the codec uses loops.
 */

/** Making a function takes about as long as this many uses of the loop. */
export const OFTEN = 200

/** Reads the next value. */
export interface ValueReader {
  value(): unknown
}

export type Builder = (reader: ValueReader) => object

/** Writes a member. */
export interface MemberWriter {
  member(object: object, value: unknown, key: string): void
}

export type MembersWriter = (writer: MemberWriter, object: object) => void

/** Must not be used for keys with a meaning in a literal, such as `__proto__`. */
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
