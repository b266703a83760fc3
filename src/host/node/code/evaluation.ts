/**
 * Two functions that depend on their script: the runtime resolves `import()` for each script by itself, also in
 * functions that the script makes from texts. The program of a worker thread is compiled in a way that has none of
 * that, so there these two come from the script that has started it (tools/bundle/thread.ts).
 */

/** The comments tell bundlers to leave this import alone: its URL is known only when the program runs. */
export function importModule(url: string): Promise<Record<string, unknown>> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ url) as Promise<Record<string, unknown>>
}

/** Makes a function without parameters; an EvalError if the program forbids that. */
export function functionOf(body: string): () => unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- functions that are written in place travel as text
  return new Function(body) as () => unknown
}
