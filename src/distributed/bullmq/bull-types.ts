/**
 * The packages that this engine needs, as far as it uses them. BullMQ's own types are not used: there the methods
 * through which all its commands go are private, and a user's compiler need not have these types.
 */
import { peer } from "../job/peers.ts"

/** A job as BullMQ gives and takes it. */
export interface BullJob {
  readonly id: string
  readonly name: string
  readonly data: string
  /** Undefined only if another program has written the job. */
  readonly opts: BullJobOptions | undefined
  readonly timestamp: number
  readonly delay?: number
  readonly priority?: number
  readonly attemptsMade?: number
  readonly stalledCounter?: number
}

export interface BullJobOptions {
  readonly attempts?: number
  readonly delay?: number
  readonly priority?: number
  readonly timestamp?: number
  /** Added by corepool: see `JobOrder.keep`. */
  readonly keep?: number
}

/** A job, its id, how long to wait because of a rate limit, and when the next delayed job is due. */
export type BullClaim = readonly [job: BullJob | null | undefined, id?: string, limit?: number, due?: number]

/** A queue backend of BullMQ: one queue of one server. */
export interface BullBackend {
  readonly keys: Readonly<Record<string, string>>
  toKey(type: string): string
  forQueue(queue: string): BullBackend
  addJob(job: BullJob, jobId: string): Promise<string>
  addFlow(
    entries: { jobData: BullJob; jobId: string; parentKeyOpts: object; prefix: string; queueName: string }[],
  ): Promise<[Error | null, string | number][]>
  moveToActive(token: string, name?: string): Promise<BullClaim>
  moveToCompleted(job: object, value: string, remove: boolean, token: string, next: boolean): Promise<BullFinish>
  moveToFailed(
    job: object,
    reason: string,
    remove: boolean,
    token: string,
    next: boolean,
    fields?: object,
  ): Promise<BullFinish>
  moveToDelayed(id: string, timestamp: number, delay: number, token: string, options: object): Promise<unknown>
  moveJobFromActiveToWait(id: string, token: string): Promise<number>
  moveStalledJobsToWait(): Promise<string[]>
  extendLocks(ids: string[], tokens: string[], duration: number): Promise<string[]>
  updateProgress(id: string, value: unknown): Promise<void>
  getCounts(states: string[]): Promise<number[]>
  setQueueMeta(values: Record<string, string | number>): Promise<number>
  getQueueMeta(): Promise<Record<string, string>>
  removeQueueMetaFields(fields: string[]): Promise<number>
  publishEvent(fields: Record<string, string | number>, most: number): Promise<string>
  close(force?: boolean): Promise<void>
}

export interface BullFinish {
  readonly result: BullClaim | undefined | void
}

interface Emitter {
  on(event: string, listener: (value: never) => void): unknown
}

/** The result of a query. */
export interface Rows<R> {
  readonly rows: R[]
}

export interface PgQueryable {
  query<R>(text: string | PgStatement, values?: readonly unknown[]): Promise<Rows<R>>
}

/** A statement that each connection parses and plans once. */
export interface PgStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

export interface PgClient extends PgQueryable, Emitter {
  /** From now on its connection does not keep the program alive. */
  unref(): void
}

export interface PgConnection extends Emitter {
  readonly pool: PgQueryable & Emitter
  waitUntilReady(): Promise<void>
  getListenClient(): Promise<PgClient>
  close(): Promise<void>
}

export interface PgBackend extends BullBackend {
  /** Runs the command of this name. */
  run(command: string, values?: unknown[]): Promise<Rows<unknown>>
}

export interface RedisBackend extends BullBackend, Emitter {
  /** Runs the script of this name. */
  execCommand(client: unknown, script: string, values: unknown[]): unknown
}

/** A client of ioredis. */
export interface RedisClient extends Emitter {
  readonly status: string
  connect(): Promise<void>
  disconnect(reconnect?: boolean): void
  call(command: string, ...values: (string | number)[]): Promise<unknown>
  /** All commands go through here. */
  sendCommand(command: unknown, stream?: unknown): unknown
  /** Its socket, once it is connected. */
  readonly stream?: { readonly writableCorked: number; cork(): void; uncork(): void; unref(): void }
}

/** The package bullmq. */
export interface Bull {
  readonly PostgresConnection: new (config: object) => PgConnection
  readonly PostgresQueueBackend: new (
    connection: PgConnection,
    queue: string,
    options: object,
    owns: boolean,
  ) => PgBackend
  readonly createRedisBackend: (queue: string, options: object) => RedisBackend
}

/** The class Redis of the package ioredis. */
export type RedisClientClass = new (...values: unknown[]) => RedisClient

export function bullFor(user: string): Bull {
  return peer("bullmq", user) as unknown as Bull
}

export function redisClientClass(user: string): RedisClientClass {
  return peer("ioredis", user).Redis as unknown as RedisClientClass
}

/** Only for the error if it is missing: BullMQ loads it by itself. */
export function requirePg(user: string): void {
  peer("pg", user)
}
