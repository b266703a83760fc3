import { typeError } from "../../checks.ts"
import { loadModule } from "../../task/loading.ts"

/**
 * Calls the default exports of these modules, one after the other, and awaits each. An error of one does not keep the
 * others from running.
 *
 * @returns The errors. Several become an AggregateError: a thread reports one.
 */
export async function tearDown(modules: readonly string[]): Promise<readonly unknown[]> {
  const errors: unknown[] = []
  for (const url of modules) {
    try {
      const { default: end } = await loadModule(url)
      if (typeof end !== "function")
        throw typeError("teardown", `modules whose default export is a function: ${url}`, end)
      await (end as () => unknown)()
    } catch (error) {
      errors.push(error)
    }
  }
  return errors.length < 2 ? errors : [new AggregateError(errors, "Several modules of `teardown` have failed")]
}
