/** What the compiler knows about parallel algorithms: elements have the type of their array, and functions fit them. */
import {
  parallelForEach,
  parallelMap,
  parallelPrefix,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
} from "corepool"
import { typeOf } from "./same.ts"

declare const doubles: Float64Array
declare const longs: BigInt64Array

export function elementsHaveTheTypeOfTheirArray(): void {
  typeOf(parallelSort(doubles)).is<Promise<Float64Array>>()
  typeOf(parallelSort(longs, { compare: (a, b) => Number(a - b) })).is<Promise<BigInt64Array>>()
  typeOf(parallelPrefix(longs, (a, b) => a + b)).is<Promise<BigInt64Array>>()
  typeOf(parallelReduce(longs, (a, b) => a + b)).is<Promise<bigint>>()
  typeOf(parallelReduceSync(doubles, (a, b) => a + b, { initial: 0 })).is<number>()
  // @ts-expect-error a bigint is no number
  void parallelReduce(longs, (a: number, b: number) => a + b)
  // @ts-expect-error an array of values that are no numbers
  void parallelSort(["a"])
}

export function whatIsMappedHasTheTypeOfItsTarget(): void {
  typeOf(parallelMap(doubles, (x) => x * 2)).is<Promise<Float64Array>>()
  typeOf(parallelMap(doubles, (x) => BigInt(x), { into: longs })).is<Promise<BigInt64Array>>()
  typeOf(parallelMap(10, (i) => BigInt(i), { into: longs })).is<Promise<BigInt64Array>>()
  // @ts-expect-error a range needs a target
  void parallelMap(10, (i: number) => i)
  // @ts-expect-error what is put into an array of bigints is a bigint
  void parallelMap(doubles, (x) => x, { into: longs })
}

export function argumentsFitTheFunction(): void {
  typeOf(parallelReduce(3, (a, b) => a + b, { map: (i: number) => `${i}` })).is<Promise<string>>()
  const draw = (_y: number, _width: number, _name: string): void => {}
  typeOf(parallelForEach(3, draw, { args: [1, "a"] })).is<Promise<void>>()
  // @ts-expect-error arguments that are missing
  void parallelForEach(3, draw)
  // @ts-expect-error arguments that are missing
  void parallelMap(doubles, (x: number, _i: number, factor: number) => x * factor, {})
  // @ts-expect-error an argument of another type
  void parallelForEach(3, draw, { args: ["a", 1] })
}
