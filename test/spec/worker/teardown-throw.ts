/** Fails. */
export default function end(): never {
  throw new RangeError("cannot close")
}
