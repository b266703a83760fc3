/** Changes of a text by the places of what is to be replaced. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text with these pieces replaced. */
export function edited(text: string, edits: readonly Edit[]): string {
  let body = text
  for (const { start, end, text: by } of edits.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    body = `${body.slice(0, start)}${by}${body.slice(end)}`
  }
  return body
}

/** `corepoolLater(import("…"))` stands for what that file exports, loaded at once. */
export const LATER_CALL = "corepoolLater"

/** What the import of a file that is published looks like: `chunk:lock`. */
export const CHUNK = "chunk:"
