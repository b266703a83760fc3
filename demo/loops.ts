/** Tasks that never return, in a pool that has other work. */
import { Executors, type Future, platformThreads, ReentrantLock } from "corepool"
import { button, byId, eachFrame, say } from "./elements.ts"
import { endlessLoop, smallTask } from "./tasks.ts"

const EVERY = 100
const MOST_WAITING = 99

export function controlLoops(): void {
  const pool = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 200 }))
  const list = byId("loops", HTMLUListElement)
  let [loops, done, waiting, replaced] = [0, 0, 0, 0]
  const told = (): void => {
    say("loops-done", done.toLocaleString("en"))
    say("loops-waiting", String(waiting))
    say("loops-replaced", String(replaced))
  }
  setInterval(() => {
    if (waiting >= MOST_WAITING) return
    waiting++
    void pool.submit(smallTask, done).then(() => {
      done++
      waiting--
    })
    told()
  }, EVERY)
  button("loops-start").addEventListener("click", () => {
    const loop = new Loop(++loops, (lock, turns) => pool.submit(endlessLoop, lock, turns))
    list.prepend(loop.item)
    void loop.stopped.then(() => {
      if (loop.hasRun) replaced++
    })
    while (list.children.length > 6) {
      const over = [...list.children].findLast((item) => item.classList.contains("over"))
      if (over === undefined) break
      over.remove()
    }
  })
}

/** A loop that was started, as a line of the list. */
class Loop {
  readonly item = document.createElement("li")
  readonly stopped: Promise<void>
  readonly #lock = new ReentrantLock()
  readonly #turns = new Int32Array(new SharedArrayBuffer(4))
  readonly #future: Future<never>

  constructor(number: number, submit: (lock: ReentrantLock, turns: Int32Array) => Future<never>) {
    this.#future = submit(this.#lock, this.#turns)
    const text = document.createElement("span")
    const cancel = document.createElement("button")
    cancel.type = "button"
    cancel.textContent = "Cancel"
    cancel.setAttribute("aria-label", `Cancel loop ${number}`)
    this.item.append(text, cancel)
    const name = `Loop ${number}`
    const stopTelling = eachFrame(() => {
      const state = this.#future.state === "cancelled" ? "cancelled; its thread is stopping" : "running"
      text.textContent = `${name}: ${this.hasRun ? `${this.#million} million turns, ${state}` : "waiting for a thread"}`
    })
    this.stopped = new Promise((resolve) => {
      cancel.addEventListener("click", () => {
        cancel.remove()
        void this.#end().then((ms) => {
          stopTelling()
          this.item.classList.add("over")
          const after = `${(ms / 1000).toFixed(1)} s after it was cancelled`
          text.textContent = this.hasRun
            ? `${name}: stopped after ${this.#million} million turns, ${after}`
            : `${name}: cancelled before it began`
          resolve()
        })
      })
    })
  }

  get hasRun(): boolean {
    return Atomics.load(this.#turns, 0) > 0
  }

  get #million(): string {
    return Atomics.load(this.#turns, 0).toLocaleString("en")
  }

  /** The loop holds a lock, which is passed on when its thread has stopped: not before. */
  async #end(): Promise<number> {
    const begin = performance.now()
    this.#future.cancel(true)
    const guard = await this.#lock.lock()
    guard.unlock()
    return performance.now() - begin
  }
}
