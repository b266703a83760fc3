/**
 * The base of executors: subclasses give `execute`, `shutdown`, `shutdownNow`, `isShutdown`, `isTerminated` and
 * `awaitTermination`; `submit`,
 * `invokeAll`, `invokeAny`, `map`, `with` and `close` follow from these.
 *
 *     class Inline extends AbstractExecutorService {
 *       execute(command) { … }
 *       …
 *     }
 */
import type { ExecutorService, TaskOptions } from "./executor.ts"
import { ExecutorServiceBase } from "./executor-service-base.ts"
import { withOptions } from "./with-options.ts"

export abstract class AbstractExecutorService extends ExecutorServiceBase {
  with(options: TaskOptions): ExecutorService {
    return withOptions(this, options)
  }
}
