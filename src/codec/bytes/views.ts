/**
 * What a buffer or a view is, told by the getters of the runtime, which are taken before any task could replace them. A task may overwrite
 * `byteLength` of all typed arrays of its thread, say by undefined; the outcomes of later tasks are written down as they are all the same.
 */
import { types } from "node:util"

const { apply } = Reflect
const NOTHING: readonly never[] = []

type Getter<T> = (object: object) => T

function getterOf<T>(prototype: object, name: string): Getter<T> {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with what it is to be a getter of
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get as () => T
  return (object) => apply(get, object, NOTHING) as T
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const { isTypedArray } = types

function getterOfViews<T>(name: string): Getter<T> {
  const ofTypedArray = getterOf<T>(typedArray, name)
  const ofDataView = getterOf<T>(DataView.prototype, name)
  return (view) => (isTypedArray(view) ? ofTypedArray(view) : ofDataView(view))
}

/** Of a view. */
export const bufferOf: Getter<ArrayBufferLike> = /* @__PURE__ */ getterOfViews("buffer")
export const offsetOf: Getter<number> = /* @__PURE__ */ getterOfViews("byteOffset")
export const sizeOf: Getter<number> = /* @__PURE__ */ getterOfViews("byteLength")

/** Of a buffer that is not shared. */
export const sizeOfBuffer: Getter<number> = /* @__PURE__ */ getterOf(ArrayBuffer.prototype, "byteLength")
