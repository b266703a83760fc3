/** The functions of this folder that threads of a ForkJoinPool must know, because they are sent to them as tasks. */
import { mergePart } from "./merging.ts"
import { forEachPart } from "./parallel-for-each.ts"
import { mapPart } from "./parallel-map.ts"
import { prefixWhole, scanParts, sumParts } from "./parallel-prefix.ts"
import { reducePart } from "./parallel-reduce.ts"
import { meet, nothing, sortPart, sortWhole } from "./parallel-sort.ts"

export const PARALLEL: readonly unknown[] = [
  forEachPart,
  mapPart,
  mergePart,
  meet,
  nothing,
  prefixWhole,
  reducePart,
  scanParts,
  sortPart,
  sortWhole,
  sumParts,
]
