/** Longer names are cut: a frame is sent several times a second. */
const LONGEST_NAME = 200

export function cut(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
}

/** To microseconds: a shorter text. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
