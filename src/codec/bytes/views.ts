/**
 * Facts about buffers and views, read by the getters of the runtime, which are saved before any task could replace
 * them. A task may overwrite `byteLength` of all typed arrays of its thread, say by undefined; the outcomes of later
 * tasks are still written correctly.
 */
import { types } from "#host/values/values"
import { getterOf } from "../../primordials.ts"

type Getter<T> = (object: object) => T

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const { isTypedArray } = types

function getterOfViews<T>(name: string): Getter<T> {
  const ofTypedArray = getterOf(typedArray, name) as Getter<T>
  const ofDataView = getterOf(DataView.prototype, name) as Getter<T>
  return (view) => (isTypedArray(view) ? ofTypedArray(view) : ofDataView(view))
}

/** Of a view. */
export const bufferOf: Getter<ArrayBufferLike> = /* @__PURE__ */ getterOfViews("buffer")
export const offsetOf: Getter<number> = /* @__PURE__ */ getterOfViews("byteOffset")
export const sizeOf: Getter<number> = /* @__PURE__ */ getterOfViews("byteLength")

/** Of a buffer that is not shared. */
export const sizeOfBuffer: Getter<number> = /* @__PURE__ */ getterOf(ArrayBuffer.prototype, "byteLength") as never

/** The kind of a typed array, whatever its class: "Float64Array". Undefined of anything else. */
export const kindOfTypedArray: Getter<string | undefined> = /* @__PURE__ */ getterOf(
  typedArray,
  Symbol.toStringTag,
) as never
