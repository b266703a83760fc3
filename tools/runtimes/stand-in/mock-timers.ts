/** `mock.timers` of the stand-in, as far as tests use it: `setTimeout` and `clearTimeout` whose time a test lets pass. */
interface Due {
  readonly at: number
  readonly run: () => void
}

type Timers = Pick<typeof globalThis, "setTimeout" | "clearTimeout">

export class MockTimers {
  #now = 0
  #last = 0
  readonly #due = new Map<number, Due>()
  #real: Timers | undefined

  enable({ apis }: { readonly apis: readonly string[] }): void {
    if (apis.some((api) => api !== "setTimeout")) throw new Error(`The stand-in has no fakes of ${apis.join(", ")}`)
    const { setTimeout, clearTimeout } = globalThis
    this.#real = { setTimeout, clearTimeout }
    Object.assign(globalThis, {
      setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
        this.#due.set(++this.#last, { at: this.#now + ms, run: () => run(...args) })
        return this.#last
      },
      clearTimeout: (timer: number) => void this.#due.delete(timer),
    })
  }

  /** Lets so much time pass: what is due runs in order. */
  tick(ms = 1): void {
    const until = this.#now + ms
    for (;;) {
      const [next] = [...this.#due].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)
      if (next === undefined) break
      const [timer, { at, run }] = next
      this.#due.delete(timer)
      this.#now = at
      run()
    }
    this.#now = until
  }

  reset(): void {
    Object.assign(globalThis, this.#real)
    this.#real = undefined
    this.#due.clear()
  }
}
