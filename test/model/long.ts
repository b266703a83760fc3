/**
 * Values of 64 bits in a model. Steps and their results are made of numbers, so that they can be compared and hashed;
 * a 64-bit value goes by a number that stands for it, the same one whenever it comes again.
 */
const values: bigint[] = []
const numbers = new Map<bigint, number>()

export function numberOf(value: bigint): number {
  const long = BigInt.asIntN(64, value)
  let number = numbers.get(long)
  if (number === undefined) {
    number = values.push(long) - 1
    numbers.set(long, number)
  }
  return number
}

export function longOf(number: number): bigint {
  return values[number] as bigint
}

/** The two words from this one on, as one. */
export function longAt(words: Int32Array, index: number): BigInt64Array {
  return new BigInt64Array(words.buffer, words.byteOffset + index * 4, 1)
}
