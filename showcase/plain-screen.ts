/**
 * The tour as plain lines, in the order in which things end: for files, pipes and terminals that cannot be drawn on.
 */
import type { Activity, Screen } from "./screen.ts"

export class PlainScreen implements Screen {
  readonly #out: NodeJS.WritableStream

  constructor(out: NodeJS.WritableStream) {
    this.#out = out
  }

  open(title: string, about: string, file: string): void {
    this.#line(`== ${title} (${file})`)
    this.#line(about)
  }

  say(text: string): void {
    this.#line(`  ${text}`)
  }

  begin(thread: string, what: string): Activity {
    return { end: (how) => this.#line(`  [${thread}] ${what}: ${how}`) }
  }

  close(): void {
    this.#line("")
  }

  #line(text: string): void {
    this.#out.write(`${text}\n`)
  }
}
