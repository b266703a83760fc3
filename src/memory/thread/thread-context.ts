import { block, compareAndSet, exchange, listen, load, pause, read, store, wait, write } from "#atomics"
import { now } from "../../time/timer.ts"
import { Chores } from "../flow/chores.ts"
import { EndingThreads } from "./ending-threads.ts"
import { type Flow, mainFlow, waitFailed } from "../flow/flow.ts"
import { KeepAlive } from "./keep-alive.ts"
import { NodePool } from "./node-pool.ts"
import { LISTENING, NODE, type ThreadRegistry, THREAD } from "./thread-registry.ts"
import { type BlockedWake, INTERRUPTED, SIGNALLED, TIMEOUT } from "../flow/wait-list.ts"

/** What mail can reach: a wait of one of our flows, or a bell. */
export interface Addressee {
  /** Its node. */
  readonly index: number
  /** Whether the process stays alive for it. */
  readonly isVital: boolean
  /**
   * Mail has come, or another thread has died. Errors of the wake-up go to {@link waitFailed}, and not to the thread
   * that wakes this one.
   */
  unpark(): void
  /** For who blocks until it is unparked: whether it was, since this was asked last. */
  takePermit(): boolean
}

/**
 * This thread, as a space knows it: its token, its park word, its mail, and the waits of its flows.
 *
 * A thread parks in one place only, its own park word in the thread table, however many things its flows wait for.
 * Whoever ends one of these waits puts the number of its node into the thread's mailbox and rings. A thread that
 * blocks sleeps on the park word; a thread that awaits has one standing listener on it, the doorbell, which is never
 * given up. (A listener per wait would be the obvious way. It cannot be taken back, and one that was left behind
 * swallows the wake-up meant for somebody else.)
 *
 * Why no wake-up is lost
 *
 *     the waker            the sleeper
 *     mail                 PARK := LISTENING
 *     PARK := RUNG         mail? deaths? interrupt? then go on
 *     was LISTENING?       sleep while PARK is LISTENING
 *       then notify
 *
 * If the sleeper did not see the mail, it looked before the mail came, so PARK was LISTENING when the waker rang, and
 * the sleeper either had not gone to sleep yet and finds the word changed, or is notified.
 */
export class ThreadContext {
  readonly registry: ThreadRegistry
  /** Names this thread, in this life, in shared memory. */
  readonly token: number
  readonly nodes: NodePool
  /** What is to be done also while this thread blocks. */
  readonly chores: Chores = new Chores()
  /** Threads that this one has told to end. */
  readonly ending: EndingThreads
  readonly #leaveAll: () => void
  readonly #park: number
  readonly #mail: number
  readonly #interrupt: number
  /** How often to look for mail before going to sleep: another thread is often about to send it. */
  readonly #spins: number
  readonly #waits = new Map<number, Addressee>()
  readonly #keepAlive = new KeepAlive()
  #listening = false
  /** Whether somebody has to hear of an interrupt though no flow waits. */
  #attentive = false
  #deathsSeen: number
  #hasLeft = false
  /** How many waits went on because of mail. */
  #resumed = 0
  /** Whether a wait of this thread is just going on, and those that are to go on after it. */
  #waking = false
  readonly #toWake: number[] = []

  /** For the thread that got this token when it entered the space; by `leaveAll` it leaves this and others. */
  constructor(registry: ThreadRegistry, token: number, spins: number, leaveAll: () => void = () => this.leave()) {
    this.registry = registry
    this.token = token
    this.ending = new EndingThreads(registry, this.chores)
    this.#spins = spins
    this.#leaveAll = leaveAll
    this.#deathsSeen = registry.deaths
    const entry = registry.entryOf(this.token)
    this.#park = entry + THREAD.PARK
    this.#mail = entry + THREAD.MAIL
    this.#interrupt = entry + THREAD.INTERRUPT
    this.nodes = new NodePool(registry, this.token)
  }

  // ------------------------------------------------------------------ waking others

  /** Ends the sleep of a wait, wherever its flow lives. It may be one that is over: then nothing happens. */
  wake(token: number, node: number): void {
    if (token !== this.token) {
      if (this.registry.isAlive(token)) this.#send(token, node)
    } else if (this.#waking) this.#toWake.push(node)
    else this.#wakeOwn(node)
  }

  /**
   * A wait that goes on often ends by waking the next one. They go on one after the other, and not one inside of the
   * other: a thousand flows that wait for one latch would be a thousand calls deep.
   */
  #wakeOwn(node: number): void {
    const more = this.#toWake
    this.#waking = true
    try {
      this.#unpark(node)
      for (let at = 0; at < more.length; at++) this.#unpark(more[at] as number)
    } finally {
      more.length = 0
      this.#waking = false
    }
  }

  /** An error of one that is woken is its own: the others are woken too, and the thread that wakes them goes on. */
  #unpark(node: number): void {
    try {
      this.#waits.get(node)?.unpark()
    } catch (error) {
      waitFailed(error)
    }
  }

  #send(token: number, node: number): void {
    const words = this.registry.reach(node)
    // A node is in the mail once: its link is one word. If we die here, its thread hears of it and sets MAILED back.
    if (!compareAndSet(words, node + NODE.MAILED, 0, this.token)) return
    if (!this.registry.isAlive(token)) {
      // It has just died, and nobody reads its mail. Its node may be another's by now, who has perhaps missed mail
      // because of us.
      store(words, node + NODE.MAILED, 0)
      const heir = load(words, node + NODE.THREAD)
      if (heir !== token) this.wake(heir, node)
      return
    }
    const box = this.registry.entryOf(token) + THREAD.MAIL
    let top: number
    do {
      top = load(words, box)
      write(words, node + NODE.MAIL_NEXT, top)
    } while (!compareAndSet(words, box, top, node))
    this.registry.ring(token)
  }

  // ------------------------------------------------------------------ the waits of this thread

  /** From now on mail for the node reaches the wait. */
  register(node: Addressee): void {
    this.#waits.set(node.index, node)
  }

  unregister(node: Addressee): void {
    this.#waits.delete(node.index)
    this.#keepAlive.release(node)
  }

  /** The flow of this wait awaits no longer. */
  relax(node: Addressee): void {
    this.#keepAlive.release(node)
  }

  /** The flow of this wait awaits: somebody may ring from now on, and the process stays for it if `vital`. */
  expect(node: Addressee, vital: boolean): void {
    if (vital) this.#keepAlive.hold(node)
    if (this.#listening) return
    this.#listen()
    this.#look() // mail may have come when nobody listened
    // So may an interrupt. The wait has not begun yet: it hears of it when the doorbell is answered.
    if (load(this.registry.words, this.#interrupt) !== 0) this.registry.ring(this.token)
  }

  #listen(): void {
    const { words } = this.registry
    while (!this.#listening) {
      store(words, this.#park, LISTENING)
      this.#listening = listen(words, this.#park, LISTENING, this.#answer) // false: rung in between
    }
  }

  readonly #answer = (): void => {
    this.#listening = false
    // Listen first, then look: mail that comes after the look rings again.
    if (this.#waits.size > 0 || this.#attentive) this.#listen()
    this.#look()
    if (load(this.registry.words, this.#interrupt) !== 0) mainFlow.passInterruptOn()
  }

  /**
   * Blocks the thread until the wait is signalled. Waits of other flows of this thread that are signalled meanwhile go
   * on too, as far as they can; the one that blocks then looks whether it is they who hold what it wants.
   */
  block(node: Addressee, flow: Flow | undefined, ms: number): BlockedWake {
    const { words } = this.registry
    const deadline = ms === Infinity ? Infinity : now() + ms
    const resumed = this.#resumed
    for (let spins = this.#spins; ;) {
      this.#look()
      if (this.registry.isTerminating(this.token)) this.halt()
      if (node.takePermit() || this.#resumed !== resumed) return SIGNALLED
      if (flow?.isInterrupted === true) return INTERRUPTED
      if (spins-- > 0) {
        pause()
        continue
      }
      const left = deadline === Infinity ? Infinity : deadline - now()
      if (left <= 0) return TIMEOUT
      const chore = this.chores.dueIn
      if (chore <= 0) {
        this.chores.run()
        continue
      }
      store(words, this.#park, LISTENING)
      if (!this.#hasNews(flow)) wait(words, this.#park, LISTENING, Math.min(left, chore))
    }
  }

  #hasNews(flow: Flow | undefined): boolean {
    if (load(this.registry.words, this.#mail) !== 0 || this.registry.deaths !== this.#deathsSeen) return true
    return flow?.isInterrupted === true || this.registry.isTerminating(this.token)
  }

  /** Reads the mail. */
  #look(): void {
    if (this.registry.deaths !== this.#deathsSeen) this.#onDeath()
    else if (load(this.registry.words, this.#mail) !== 0) this.#deliver()
  }

  #deliver(): void {
    const arrived: number[] = []
    for (let node = exchange(this.registry.words, this.#mail, 0); node !== 0;) {
      const words = this.registry.reach(node)
      const next = read(words, node + NODE.MAIL_NEXT)
      store(words, node + NODE.MAILED, 0)
      arrived.push(node)
      node = next
    }
    // The latest is on top; the first to be woken goes on first.
    for (const node of arrived.reverse()) {
      this.#resumed++
      this.#unpark(node)
    }
  }

  /**
   * Somebody died. It may have been about to wake one of us, or hold what we wait for: every wait looks again for
   * itself.
   */
  #onDeath(): void {
    this.#deathsSeen = this.registry.deaths
    if (!this.registry.isAlive(this.token)) this.halt()
    this.nodes.unstick([...this.#waits.keys()], () => this.#deliver())
    for (const node of [...this.#waits.values()]) if (this.#waits.get(node.index) === node) this.#unpark(node.index)
  }

  // ------------------------------------------------------------------ life

  /** The main flow can be interrupted by other threads from now on. */
  exposeInterrupt(): void {
    mainFlow.exposeFlag(this.registry.words, this.#interrupt, () => {
      this.#attentive = true
      this.#listen()
    })
  }

  /** The waits in shared objects, of which only some keep the process alive, after one has become shared. */
  reviewKeepAlive(): void {
    for (const node of this.#waits.values()) if (node.isVital) this.#keepAlive.hold(node)
  }

  /** This thread is about to end: whoever waits for it need wait no longer. */
  leave(): void {
    this.#hasLeft = true
    this.registry.reap(this.token)
  }

  /**
   * Stops this thread if it has left. What it had is others' then; but in Node a thread with an uncaught error runs the
   * microtasks that are queued after it has left, and the code of corepool and of tasks goes on in these. To be called
   * where that would change what others can see.
   */
  haltIfLeft(): void {
    if (this.#hasLeft) this.halt()
  }

  /**
   * Stops this thread for ever, as one that has died here. It was told to end, which not all runtimes do; or it has
   * been declared dead, and what it held is others' by now; or it cannot go on, because a task has broken built-in
   * objects that it needs. To leave this space takes none.
   */
  halt(): never {
    this.leave()
    try {
      this.#leaveAll()
    } finally {
      for (;;) block(Infinity)
    }
  }
}
