/** A task of a PQueue that waits. */
export type RunFunction = () => Promise<unknown>

/** The options of a task, for the queue. */
export interface PQueueEnqueueOptions {
  /** Higher begins first; default 0. */
  readonly priority?: number | undefined
  /** The name for `setPriority`. */
  readonly id?: string | undefined
}

/** A class of queues for {@link PQueue}. */
export interface PQueueQueue<O> {
  /** How many tasks wait. */
  readonly size: number
  /** The tasks with these options. */
  filter(options: Readonly<Partial<O>>): RunFunction[]
  /** Takes the next task out. */
  dequeue(): RunFunction | undefined
  /** Puts a task in. */
  enqueue(run: RunFunction, options?: Partial<O>): void
  /** Changes the priority of a task. */
  setPriority?(id: string, priority: number): void
  /** Takes a task out, by its id. */
  remove?(id: string): void
}

interface Waiting {
  readonly run: RunFunction
  readonly priority: number
  readonly id: string | undefined
}

/** The queue of a PQueue: higher priority first, and in each priority the longest waiting first. */
export class PriorityQueue implements PQueueQueue<PQueueEnqueueOptions> {
  /** A line for each priority; the lines are in order, the highest first. No line is empty. */
  readonly #lines: { readonly priority: number; first: number; tasks: Waiting[] }[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  enqueue(run: RunFunction, options: Partial<PQueueEnqueueOptions> = {}): void {
    const { priority = 0, id } = options
    const place = this.#placeOf(priority)
    let line = this.#lines[place]
    if (line?.priority !== priority) {
      line = { priority, first: 0, tasks: [] }
      this.#lines.splice(place, 0, line)
    }
    line.tasks.push({ run, priority, id })
    this.#size++
  }

  dequeue(): RunFunction | undefined {
    const [line] = this.#lines
    if (line === undefined) return undefined
    const task = line.tasks[line.first++]
    this.#size--
    if (line.first === line.tasks.length) this.#lines.shift()
    else if (line.first > 64 && line.first * 2 > line.tasks.length) {
      line.tasks = line.tasks.slice(line.first)
      line.first = 0
    }
    return task?.run
  }

  filter({ priority }: Readonly<Partial<PQueueEnqueueOptions>>): RunFunction[] {
    return this.#waiting.filter((task) => task.priority === priority).map((task) => task.run)
  }

  setPriority(id: string, priority: number): void {
    const task = this.#takeOut((it) => it.id === id)
    if (task === undefined) throw new ReferenceError(`No promise function with the id "${id}" exists in the queue.`)
    this.enqueue(task.run, { priority, id })
  }

  /** Takes a task out, by its id or by itself. */
  remove(task: string | RunFunction): void {
    this.#takeOut((it) => (typeof task === "string" ? it.id : it.run) === task)
  }

  get #waiting(): Waiting[] {
    return this.#lines.flatMap((line) => line.tasks.slice(line.first))
  }

  /** The index of the first line whose priority is not higher. */
  #placeOf(priority: number): number {
    let [low, high] = [0, this.#lines.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lines[middle]?.priority ?? 0) > priority) low = middle + 1
      else high = middle
    }
    return low
  }

  #takeOut(isMeant: (task: Waiting) => boolean): Waiting | undefined {
    for (const [place, line] of this.#lines.entries()) {
      const index = line.tasks.findIndex((task, at) => at >= line.first && isMeant(task))
      if (index === -1) continue
      const [task] = line.tasks.splice(index, 1)
      this.#size--
      if (line.first === line.tasks.length) this.#lines.splice(place, 1)
      return task
    }
    return undefined
  }
}
