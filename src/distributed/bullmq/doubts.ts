import { runtime } from "#host/runtime/clock"
import { isRefusal } from "./steady.ts"
import type { Bench } from "./store.ts"

/**
 * For how long a command may take effect after its connection was lost, in ms: a little longer than PostgreSQL works at
 * a statement (`statement_timeout`, postgres.ts).
 */
const LATE = 20_000

interface Doubt {
  readonly token: string
  /** When the server cannot give a job by this token any more, by a clock that cannot be set. */
  readonly until: number
  isAsked: boolean
}

/**
 * Tokens by which the server may have given this node a job, but the answer was lost with the connection. The node asks
 * the server for such jobs and gives them back, so that no other node takes its silence for a death.
 *
 * The server may still be working at the command whose answer was lost: it waits for a lock, or has not read it yet. So
 * one look is not enough. The node looks before it takes another job, and then again until the command cannot take
 * effect any more.
 */
export class Doubts {
  readonly #bench: Pick<Bench, "held" | "giveBack">
  /** Whether the node runs a job by this token, and so knows of it. */
  readonly #isRunning: (token: string) => boolean
  #doubts: Doubt[] = []
  #last: Promise<void> = Promise.resolve()

  constructor(bench: Pick<Bench, "held" | "giveBack">, isRunning: (token: string) => boolean) {
    this.#bench = bench
    this.#isRunning = isRunning
  }

  add(tokens: readonly string[]): void {
    const until = runtime.now() + LATE
    this.#doubts.push(...tokens.map((token) => ({ token, until, isAsked: false })))
  }

  /** Asks for jobs by tokens that the server was not asked for yet. Rejects if the server does not answer. */
  async settleNew(): Promise<void> {
    await this.#settle(({ isAsked }) => !isAsked)
  }

  /** Asks for jobs by all tokens. Rejects if the server does not answer. */
  async settle(): Promise<void> {
    await this.#settle(() => true)
    const now = runtime.now()
    this.#doubts = this.#doubts.filter(({ isAsked, until }) => !isAsked || until > now)
  }

  /** One after the other: two looks at the same token would both give its job back. */
  #settle(isMeant: (doubt: Doubt) => boolean): Promise<void> {
    const turn = this.#last.then(() => this.#look(isMeant))
    this.#last = turn.catch(() => undefined) // the caller of this turn gets the error
    return turn
  }

  /** A token by which the node runs a job is left for later: its end may bring another job, which is known as well. */
  async #look(isMeant: (doubt: Doubt) => boolean): Promise<void> {
    const doubts = this.#doubts.filter((doubt) => isMeant(doubt) && !this.#isRunning(doubt.token))
    if (doubts.length === 0) return
    const held = await this.#bench.held(doubts.map(({ token }) => token))
    for (const hold of held) {
      try {
        await this.#bench.giveBack(hold)
      } catch (error) {
        if (!isRefusal(error)) throw error // refused: another node has it already
      }
    }
    for (const doubt of doubts) doubt.isAsked = true
  }
}
