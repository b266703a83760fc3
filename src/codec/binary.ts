/**
 * Buffers and views of them.
 *
 * A view of ordinary memory is copied with only the bytes that it shows, in a buffer of its own. The rest of the buffer
 * may belong to other code: the runtime cuts small buffers from a common pool. So two views of one buffer become two
 * copies, while `structuredClone` copies the whole buffer. Views of a buffer that is attached stay views of that
 * buffer.
 */
import { Bytes } from "#host/values/bytes"
import { types } from "#host/values/values"
import type { ByteReader } from "./bytes/byte-reader.ts"
import { ATTACHED_VIEW, ATTACHMENT, BUFFER, FAR_BUFFER, FAR_VIEW, RESIZABLE_BUFFER, VIEW } from "./bytes/tags.ts"
import type { TrackingWriter } from "./tracking-writer.ts"
import { bufferOf, kindOfTypedArray, offsetOf, sizeOf, sizeOfBuffer } from "./bytes/views.ts"

interface ViewType {
  readonly elementSize: number
  over(buffer: ArrayBufferLike, offset: number, length: number): ArrayBufferView
}

type TypedArrayClass = {
  readonly BYTES_PER_ELEMENT: number
  readonly name: string
  new (buffer: ArrayBufferLike, offset: number, length: number): ArrayBufferView
}

const DATA_VIEW = 0
const NODE_BUFFER = 1
const FIRST_TYPED_ARRAY = 2

/** The bytes name a type by its index, so the order must not change. */
export const typedArrays: TypedArrayClass[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
]
// Newer than the oldest supported runtime.
const { Float16Array: float16 } = globalThis as { Float16Array?: TypedArrayClass }
if (float16 !== undefined) typedArrays.push(float16)

const viewTypes: readonly ViewType[] = [
  { elementSize: 1, over: (buffer, offset, length) => new DataView(buffer, offset, length) },
  { elementSize: 1, over: (buffer, offset, length) => Bytes.from(buffer, offset, length) },
  ...typedArrays.map((type) => ({
    elementSize: type.BYTES_PER_ELEMENT,
    over: (buffer: ArrayBufferLike, offset: number, length: number) => new type(buffer, offset, length),
  })),
]

const numbers = new Map(typedArrays.map((type, i) => [type.name, FIRST_TYPED_ARRAY + i]))

function typeOf(view: ArrayBufferView): number {
  const name = kindOfTypedArray(view)
  if (name === undefined) return DATA_VIEW
  if (name === "Uint8Array" && Bytes.isBuffer(view)) return NODE_BUFFER
  return numbers.get(name) ?? -1
}

export function writeView(writer: TrackingWriter, view: ArrayBufferView): void {
  const type = typeOf(view)
  const found = viewTypes[type]
  if (found === undefined) writer.refuse(view, "cannot be copied")
  const buffer = bufferOf(view)
  const byteOffset = offsetOf(view)
  const byteLength = sizeOf(view)
  const isShared = types.isSharedArrayBuffer(buffer)
  if (isShared || writer.isTransferred(buffer)) {
    const attachment = isShared ? attachShared(writer, view, buffer) : writer.attach(buffer)
    writer.begun(view, ATTACHED_VIEW)
    writer.count(attachment)
    writer.byte(type)
    writer.double(byteOffset)
    writer.double(byteLength / found.elementSize)
    return
  }
  requireAttached(writer, view, buffer)
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  const isFar = writer.setAside(bytes, byteLength)
  writer.begun(view, isFar ? FAR_VIEW : VIEW)
  writer.byte(type)
  writer.count(byteLength)
  if (!isFar) writer.bytes(bytes, byteLength)
}

export function writeBuffer(writer: TrackingWriter, buffer: ArrayBufferLike): void {
  if (types.isSharedArrayBuffer(buffer)) {
    const attachment = attachShared(writer, buffer, buffer)
    writer.begun(buffer, ATTACHMENT)
    writer.count(attachment)
    return
  }
  requireAttached(writer, buffer, buffer)
  const { resizable, maxByteLength } = buffer as { resizable?: boolean; maxByteLength?: number }
  const isResizable = resizable === true && maxByteLength !== undefined
  const bytes = new Uint8Array(buffer)
  const size = sizeOfBuffer(buffer)
  if (!isResizable && writer.setAside(bytes, size)) {
    writer.begun(buffer, FAR_BUFFER)
    writer.count(size)
    return
  }
  writer.begun(buffer, isResizable ? RESIZABLE_BUFFER : BUFFER)
  if (isResizable) writer.double(maxByteLength)
  writer.count(size)
  writer.bytes(bytes, size)
}

function attachShared(writer: TrackingWriter, value: object, buffer: object): number {
  const attachment = writer.attach(buffer)
  if (attachment === -1) {
    writer.refuse(value, "lies in shared memory, which cannot be written down as bytes: post it")
  }
  return attachment
}

/** Refuses a buffer that has been transferred: nothing is left of it. */
function requireAttached(writer: TrackingWriter, value: object, buffer: ArrayBufferLike): void {
  if (sizeOfBuffer(buffer) > 0) return
  try {
    void new Uint8Array(buffer)
  } catch {
    writer.refuse(value, "was transferred to another thread, and nothing is left of it")
  }
}

// ------------------------------------------------------------------ reading

/** The types of the compiler's library are older than the runtimes. */
const ResizableBuffer = ArrayBuffer as unknown as new (size: number, options: { maxByteLength: number }) => ArrayBuffer

export function readView(reader: ByteReader): ArrayBufferView {
  const type = viewTypes[reader.byte()]
  const size = reader.size()
  if (type === undefined || size % type.elementSize !== 0) reader.fail()
  return type.over(reader.copy(size), 0, size / type.elementSize)
}

export function readFarView(reader: ByteReader): ArrayBufferView {
  const type = viewTypes[reader.byte()]
  const size = reader.count()
  if (type === undefined || size % type.elementSize !== 0) reader.fail()
  return type.over(reader.far(size), 0, size / type.elementSize)
}

export function readFarBuffer(reader: ByteReader): ArrayBuffer {
  return reader.far(reader.count())
}

export function readBuffer(reader: ByteReader): ArrayBuffer {
  return reader.copy(reader.size())
}

export function readResizableBuffer(reader: ByteReader): ArrayBuffer {
  const maxByteLength = reader.double()
  const size = reader.size()
  reader.reserve(maxByteLength)
  const buffer = new ResizableBuffer(size, { maxByteLength })
  new Uint8Array(buffer).set(new Uint8Array(reader.copy(size)))
  return buffer
}

export function readAttachedView(reader: ByteReader): ArrayBufferView {
  const buffer = reader.attachment(reader.count())
  const type = viewTypes[reader.byte()]
  const offset = reader.double()
  const length = reader.double()
  if (type === undefined || !types.isAnyArrayBuffer(buffer)) reader.fail()
  return type.over(buffer, offset, length)
}
