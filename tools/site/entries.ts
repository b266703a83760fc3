/**
 * The modules that the reference is made of. An entry exports some classes by constants, so that bundlers can leave them out;
 * the reference shows the classes themselves.
 */

/** From the name of a module of the reference to the file of src that it is made of. */
export const MODULES: Readonly<Record<string, string>> = {
  corepool: "index.ts",
  "corepool/distributed": "distributed/index.ts",
  "corepool/monitor": "monitor/index.ts",
  "corepool/compat": "compat/index.ts",
  "corepool/prometheus": "prometheus/index.ts",
  "corepool/trace": "trace/index.ts",
  "corepool/otel": "otel/index.ts",
  "corepool/testing": "testing/index.ts",
}

/** From the name of a class that `corepool` exports by a constant to the file of src that has the class. */
export const CLASSES: Readonly<Record<string, string>> = {
  ThreadPoolExecutor: "pool/thread-pool-executor.ts",
  ScheduledThreadPoolExecutor: "schedule/scheduled-thread-pool-executor.ts",
  ArrayBlockingQueue: "queue/array-blocking-queue.ts",
  DelayQueue: "queue/delay-queue.ts",
  LinkedBlockingDeque: "queue/linked-blocking-deque.ts",
  LinkedBlockingQueue: "queue/linked-blocking-queue.ts",
  LinkedTransferQueue: "queue/linked-transfer-queue.ts",
  PriorityBlockingQueue: "queue/priority-blocking-queue.ts",
  SynchronousQueue: "queue/synchronous-queue.ts",
}

/** The text of the file that TypeDoc reads for a module; `src` is the way from there to the folder of that name. */
export function entryText(module: string, src: string): string {
  const classes = module === "corepool" ? Object.entries(CLASSES) : []
  return [
    `/**\n * @module ${module}\n */`,
    `export * from "${src}/${MODULES[module]}"`,
    ...classes.map(([name, file]) => `export { ${name} } from "${src}/${file}"`),
    "",
  ].join("\n")
}
