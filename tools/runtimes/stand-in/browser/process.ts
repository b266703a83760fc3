/**
 * Stands in for `process` in the test files of a browser: there are no settings, and no names of runtimes. What else it
 * is asked for is an error, which says so.
 */
const HERE: Readonly<Record<string, unknown>> = { versions: {}, env: {}, platform: "browser" }

const process: object = new Proxy(HERE, {
  get(here, name) {
    if (typeof name === "string" && Object.hasOwn(here, name)) return here[name]
    throw new ReferenceError(`A browser has no process.${String(name)}`)
  },
})

export default process
