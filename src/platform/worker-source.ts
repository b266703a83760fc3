/**
 * The program of a worker thread as text. The build puts the texts into the compiled form of this file (`npm run build`,
 * tools/worker-source.ts); there are none before that.
 */
export interface WorkerSource {
  /** A few lines that compile the program and run it. */
  readonly boot: string
  readonly program: string
  /** What few threads need. */
  readonly rest: string
}

export const WORKER_SOURCE: WorkerSource | undefined = undefined as WorkerSource | undefined
