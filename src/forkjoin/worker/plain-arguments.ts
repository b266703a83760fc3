/**
 * Writes the arguments that most forks have, none or one or two numbers, straight into the record of the task.
 * `encodeArguments` and `TaskRecords.fill` would do the same in two steps, and take several times as long.
 */
import { write } from "#atomics"
import { isInt } from "../../codec/arguments.ts"
import { NO_ARGUMENTS, ONE_DOUBLE, ONE_INT, TWO_DOUBLES, TWO_INTS } from "../../codec/bytes/encoded-value.ts"
import { TASK } from "../../platform/memory/layout.ts"

/** False if the arguments are others. The record must have no block of the arena. */
export function writeNumbers(words: Int32Array, record: number, args: readonly unknown[]): boolean {
  switch (args.length) {
    case 0:
      return seal(words, record, NO_ARGUMENTS, 0)
    case 1: {
      const only = args[0]
      if (typeof only !== "number") return false
      if (!isInt(only)) return writeDouble(words, record + TASK.DATA, only) && seal(words, record, ONE_DOUBLE, 8)
      write(words, record + TASK.DATA, only)
      return seal(words, record, ONE_INT, 4)
    }
    case 2: {
      const first = args[0]
      const second = args[1]
      if (typeof first !== "number" || typeof second !== "number") return false
      if (!isInt(first) || !isInt(second)) {
        writeDouble(words, record + TASK.DATA, first)
        return writeDouble(words, record + TASK.DATA + 2, second) && seal(words, record, TWO_DOUBLES, 16)
      }
      write(words, record + TASK.DATA, first)
      write(words, record + TASK.DATA + 1, second)
      return seal(words, record, TWO_INTS, 8)
    }
    default:
      return false
  }
}

function seal(words: Int32Array, record: number, kind: number, bytes: number): true {
  write(words, record + TASK.KIND, kind)
  write(words, record + TASK.LENGTH, bytes)
  return true
}

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

function writeDouble(words: Int32Array, at: number, value: number): true {
  double[0] = value
  write(words, at, halves[0] as number)
  write(words, at + 1, halves[1] as number)
  return true
}
