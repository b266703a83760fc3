/** The next one. It takes its time. */
import { setTimeout as pass } from "node:timers/promises"
import type { PreloadLog } from "./preload-a.ts"

await pass(1)
const scope = globalThis as PreloadLog
;(scope.preloaded ??= []).push("b")
