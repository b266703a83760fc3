import { block, compareAndSet, exchange, listen, load, pause, read, store, wait, write } from "#atomics"
import { OwnMap, push } from "../../primordials.ts"
import { now } from "../../time/timer.ts"
import { Chores } from "../flow/chores.ts"
import { EndingThreads } from "./ending-threads.ts"
import { type Flow, mainFlow, waitFailed } from "../flow/flow.ts"
import { KeepAlive } from "./keep-alive.ts"
import { NodePool } from "./node-pool.ts"
import { LISTENING, NODE, type ThreadRegistry, THREAD } from "./thread-registry.ts"
import { type BlockedWake, INTERRUPTED, SIGNALLED, TIMEOUT } from "../flow/wait-list.ts"

/** What mail can reach: a wait of one of this thread's flows, or a bell. */
export interface Addressee {
  /** Its node. */
  readonly index: number
  /** Whether the process stays alive for it. */
  readonly isVital: boolean
  /**
   * Called when mail has come, or another thread has died. Errors of the wake-up go to {@link waitFailed}, and not to
   * the waking thread.
   */
  unpark(): void
  /** Whether it was unparked since the last call. For a thread that blocks until then. */
  takePermit(): boolean
}

/**
 * The context of this thread in a thread registry: its token, its park word, its mailbox, and the waits of its flows.
 *
 * A thread parks in one place only, its own park word in the thread table, however many things its flows wait for. The
 * thread that ends one of these waits, the waker, puts the number of its node into the mailbox and rings. A thread that
 * blocks sleeps on the park word. A thread that awaits has one standing listener on it, the doorbell, which is never
 * given up. (A listener per wait would be the obvious way. But a listener cannot be taken back, and one that was left
 * behind swallows a wake-up meant for another wait.)
 *
 * Why no wake-up is lost
 *
 *     the waker            the sleeper
 *     mail                 PARK := LISTENING
 *     PARK := RUNG         mail? deaths? interrupt? then go on
 *     was LISTENING?       sleep while PARK is LISTENING
 *       then notify
 *
 * If the sleeper did not see the mail, it looked before the mail came, so PARK was LISTENING when the waker rang. Then
 * the sleeper either had not gone to sleep yet and finds the word changed, or is notified.
 */
export class ThreadContext {
  readonly registry: ThreadRegistry
  /** Names this thread, in this life, in shared memory. */
  readonly token: number
  readonly nodes: NodePool
  /** The work that this thread also does while it blocks. */
  readonly chores: Chores = new Chores()
  /** Threads that this one has asked to end. */
  readonly ending: EndingThreads
  readonly #leaveAll: () => void
  readonly #park: number
  readonly #mail: number
  readonly #interrupt: number
  readonly #ownCode: number
  readonly #answers: number
  /** How often to look for mail before going to sleep: another thread is often about to send it. */
  readonly #spins: number
  readonly #waits = new OwnMap<number, Addressee>()
  readonly #keepAlive = new KeepAlive()
  #listening = false
  /** Whether this thread listens for interrupts though no flow waits. */
  #attentive = false
  #deathsSeen: number
  #hasLeft = false
  /** Twice the number of stretches of corepool's own code so far, and of answers to the doorbell. */
  #stretches = 0
  #answered = 0
  /** How many waits were resumed by mail. */
  #resumed = 0
  /** Whether a wait of this thread is being resumed, and the nodes of the waits to resume after it. */
  #waking = false
  readonly #toWake: number[] = []

  /**
   * For the thread that got this token when it entered the registry. `leaveAll` leaves this registry and all others.
   */
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
    this.#ownCode = entry + THREAD.OWN_CODE
    this.#answers = entry + THREAD.ANSWERS
    this.nodes = new NodePool(registry, this.token)
  }

  // ------------------------------------------------------------------ waking others

  /** Wakes a wait, in whichever thread its flow is. If the wait is over, nothing happens. */
  wake(token: number, node: number): void {
    const { registry } = this
    if (token === this.token) {
      this.#wakeOwn(node)
      return
    }
    if (!registry.isAlive(token)) return
    const words = registry.reach(node)
    // A node can be in one mailbox only, because its link is one word. If this thread dies here, the node's thread
    // notices the death and sets MAILED back.
    if (!compareAndSet(words, node + NODE.MAILED, 0, this.token)) return
    if (!registry.isAlive(token)) {
      // The thread has just died, and its mail is not read any more. Its node may belong to another thread by now,
      // which perhaps missed mail because MAILED was set.
      store(words, node + NODE.MAILED, 0)
      const heir = load(words, node + NODE.THREAD)
      if (heir !== token) this.wake(heir, node)
      return
    }
    const box = registry.entryOf(token) + THREAD.MAIL
    let top: number
    do {
      top = load(words, box)
      write(words, node + NODE.MAIL_NEXT, top)
    } while (!compareAndSet(words, box, top, node))
    registry.ring(token)
  }

  /**
   * Resumes the wait of this node and then those that were woken meanwhile. A resumed wait often ends by waking the
   * next one. They run one after the other, and not one inside of the other: a thousand flows that wait for one latch
   * would be a thousand calls deep.
   */
  #wakeOwn(node: number): void {
    const more = this.#toWake
    if (this.#waking) {
      push(more, node)
      return
    }
    this.#waking = true
    try {
      this.#unpark(node)
      for (let at = 0; at < more.length; at++) this.#unpark(more[at] as number)
    } finally {
      more.length = 0
      this.#waking = false
    }
  }

  /** An error of a resumed wait is its own: the other waits are resumed too, and the caller goes on. */
  #unpark(node: number): void {
    try {
      this.#waits.get(node)?.unpark()
    } catch (error) {
      waitFailed(error)
    }
  }

  // ------------------------------------------------------------------ the waits of this thread

  /** All waits of this thread in shared objects, and its bells. */
  get waits(): Iterable<Addressee> {
    return this.#waits.values()
  }

  /** From now on mail for the node reaches the wait. */
  register(node: Addressee): void {
    this.#waits.set(node.index, node)
  }

  unregister(node: Addressee): void {
    this.#waits.delete(node.index)
    this.#keepAlive.release(node)
  }

  /** The flow of this wait does not await any longer. */
  relax(node: Addressee): void {
    this.#keepAlive.release(node)
  }

  /**
   * The flow of this wait awaits: other threads may ring from now on, and the process stays alive for it if `vital`.
   */
  expect(node: Addressee, vital: boolean): void {
    if (vital) this.#keepAlive.hold(node)
    if (this.#listening) return
    this.#listen()
    this.#look() // mail may have come while this thread did not listen
    // An interrupt may have come too. The wait has not begun yet: it ends when the doorbell is answered.
    if (load(this.registry.words, this.#interrupt) !== 0) this.registry.ring(this.token)
  }

  #listen(): void {
    const { registry, token } = this
    while (!this.#listening) {
      if (registry.isSilent(token)) return
      store(registry.words, this.#park, LISTENING)
      this.#listening = listen(registry.words, this.#park, LISTENING, this.#answer) // false: rung in between
    }
    if (registry.isSilent(token)) registry.ring(token) // it was silenced in between: that takes the listener back
  }

  readonly #answer = (): void => {
    this.#listening = false
    if (this.#hasLeft) return // leave() has rung, to take the listener back
    write(this.registry.words, this.#answers, (this.#answered += 1))
    try {
      // Listen first, then look: mail that comes after the look rings again.
      if (this.#waits.size > 0 || this.#attentive) this.#listen()
      this.#look()
      if (load(this.registry.words, this.#interrupt) !== 0) mainFlow.passInterruptOn()
    } finally {
      write(this.registry.words, this.#answers, (this.#answered += 1))
    }
  }

  /**
   * Blocks the thread until the wait is signalled. Waits of other flows of this thread that are signalled meanwhile are
   * resumed too, as far as they can go on. The blocked wait then looks again, because they may have held what it wants.
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
      if (!this.#hasNews(flow)) this.#sleep(Math.min(left, chore))
    }
  }

  /** Other threads can see that this one sleeps: for thread dumps. */
  #sleep(ms: number): void {
    const { words } = this.registry
    const blocked = this.registry.entryOf(this.token) + THREAD.BLOCKED
    write(words, blocked, 1)
    wait(words, this.#park, LISTENING, ms)
    write(words, blocked, 0)
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
    let count = 0
    for (let node = exchange(this.registry.words, this.#mail, 0); node !== 0;) {
      const words = this.registry.reach(node)
      const next = read(words, node + NODE.MAIL_NEXT)
      store(words, node + NODE.MAILED, 0)
      arrived[count++] = node // without a method: a task may have replaced it
      node = next
    }
    // The latest node is on top; the node that was mailed first is resumed first.
    while (count > 0) {
      this.#resumed++
      this.#unpark(arrived[--count] as number)
    }
  }

  /**
   * Another thread has died. It may have been about to wake a wait of this thread, or may hold what a wait needs: every
   * wait looks again for itself.
   */
  #onDeath(): void {
    this.#deathsSeen = this.registry.deaths
    if (!this.registry.isAlive(this.token)) this.halt()
    this.nodes.unstick([...this.#waits.keys()], () => this.#deliver())
    for (const node of [...this.#waits.values()]) if (this.#waits.get(node.index) === node) this.#unpark(node.index)
  }

  // ------------------------------------------------------------------ life

  /** Begins a stretch of corepool's own code, which ends soon; or ends it. See held-up-threads.ts. */
  stretch(begins: boolean): void {
    this.#stretches += begins ? 2 : 0
    write(this.registry.words, this.#ownCode, begins ? this.#stretches | 1 : 0)
  }

  /** The main flow can be interrupted by other threads from now on. */
  exposeInterrupt(): void {
    mainFlow.exposeFlag(this.registry.words, this.#interrupt, () => {
      this.#attentive = true
      this.#listen()
    })
  }

  /** To be called when an object has become shared: the waits in it keep the process alive from now on. */
  reviewKeepAlive(): void {
    for (const node of this.#waits.values()) if (node.isVital) this.#keepAlive.hold(node)
  }

  /** This thread is about to end: other threads need not wait for it any longer. */
  leave(): void {
    this.#hasLeft = true
    this.registry.silence(this.token)
    this.registry.reap(this.token)
  }

  /**
   * Stops this thread if it has left. Other threads have taken over what it had. But in Node a thread with an uncaught
   * error runs the queued microtasks after it has left, and in these the code of corepool and of tasks goes on. To be
   * called where that would change what other threads can see.
   */
  haltIfLeft(): void {
    if (this.#hasLeft) this.halt()
  }

  /**
   * Stops this thread for ever, as if it had died here, for one of three reasons. It was asked to end, which not all
   * runtimes enforce; or it has been declared dead, and other threads have taken over what it held; or it cannot go on,
   * because a task has broken built-in objects that it needs. Leaving this registry needs none of these objects.
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
