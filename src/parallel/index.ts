export type { EachOptions, OptionsWith, Range } from "./items.ts"
export { parallelForEach, parallelForEachSync, type ParallelForEachOptions } from "./parallel-for-each.ts"
export { parallelMap, type ParallelMapIntoOptions, type ParallelMapOptions, parallelMapSync } from "./parallel-map.ts"
export { parallelPrefix, type ParallelPrefixOptions, parallelPrefixSync } from "./parallel-prefix.ts"
export {
  type Combine,
  type ParallelMapReduceOptions,
  parallelReduce,
  type ParallelReduceOptions,
  parallelReduceSync,
} from "./parallel-reduce.ts"
export { parallelSort, type ParallelSortOptions, parallelSortSync } from "./parallel-sort.ts"
export type { ParallelOptions } from "./running.ts"
export type { BigIntArray, ElementOf, NumberArray, TypedArray } from "./typed-arrays.ts"
