/**
 * Arrays of only integers, or of only numbers. They are written without a tag for each element, in the least width that
 * fits all of them. The engine runs such a simple loop several times as fast.
 */

/** In bytes: 1 for 0 to 255, 2 and 4 for signed integers, 8 for doubles. */
export type Width = 1 | 2 | 4 | 8

/** Scanning shorter arrays twice does not pay. */
const SHORTEST = 12

/** The width for these elements; 0 if some are not numbers, or if the array is too short. */
export function widthOf(array: readonly unknown[]): Width | 0 {
  const { length } = array
  if (length < SHORTEST) return 0
  let least = 0
  let greatest = 255
  for (let i = 0; i < length; i++) {
    const element = array[i]
    if (typeof element !== "number") return 0
    if (!isInt(element)) return areNumbers(array, i) ? 8 : 0
    if (element < least) least = element
    else if (element > greatest) greatest = element
  }
  if (least >= 0 && greatest <= 255) return 1
  return least >= -0x8000 && greatest < 0x8000 ? 2 : 4
}

/** Minus zero is not an int. */
function isInt(value: number): boolean {
  return (value | 0) === value && (value !== 0 || 1 / value > 0)
}

function areNumbers(array: readonly unknown[], start: number): boolean {
  for (let i = start; i < array.length; i++) if (typeof array[i] !== "number") return false
  return true
}

/** False if an element has changed since {@link widthOf}: reading it may run user code. */
export function writePacked(view: DataView, at: number, array: readonly unknown[], width: Width): boolean {
  const { length } = array
  if (width === 8) {
    for (let i = 0; i < length; i++) {
      const element = array[i]
      if (typeof element !== "number") return false
      view.setFloat64(at + i * 8, element, true)
    }
    return true
  }
  const most = width === 1 ? 255 : width === 2 ? 0x7fff : 0x7fff_ffff
  const least = width === 1 ? 0 : -most - 1
  for (let i = 0; i < length; i++) {
    const element = array[i]
    if (typeof element !== "number" || !isInt(element) || element > most || element < least) return false
    if (width === 1) view.setUint8(at + i, element)
    else if (width === 2) view.setInt16(at + i * 2, element, true)
    else view.setInt32(at + i * 4, element, true)
  }
  return true
}

/** Fills an empty array. It calls no method of it, for speed; a task may have replaced them, too. */
export function readPacked(view: DataView, at: number, array: number[], length: number, width: Width): void {
  if (width === 1) for (let i = 0; i < length; i++) array[i] = view.getUint8(at + i)
  else if (width === 2) for (let i = 0; i < length; i++) array[i] = view.getInt16(at + i * 2, true)
  else if (width === 4) for (let i = 0; i < length; i++) array[i] = view.getInt32(at + i * 4, true)
  else for (let i = 0; i < length; i++) array[i] = view.getFloat64(at + i * 8, true)
}
