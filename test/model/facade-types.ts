/** Compiled, never run: the stand-in has exactly the types of the facade, lest a model test something else. */
import type * as facade from "#src/memory/atomics.js"
import { typeOf } from "../type/same.ts"
import type * as standIn from "./atomics.ts"

declare const ours: typeof standIn
typeOf(ours).is<typeof facade>()
