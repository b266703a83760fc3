/** The comments tell bundlers to leave this import alone: its URL is known only when the program runs. */
export function importModule(url: string): Promise<Record<string, unknown>> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ url) as Promise<Record<string, unknown>>
}

/** Makes a function without parameters; an EvalError if the page forbids that (Content-Security-Policy). */
export function functionOf(body: string): () => unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- functions that are written in place travel as text
  return new Function(body) as () => unknown
}
