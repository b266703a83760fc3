/** Paths of files, and the URLs of modules. */
export { dirname, isAbsolute, join, resolve } from "node:path"
export { fileURLToPath, pathToFileURL } from "node:url"

/** The folder in which the program was started, or to which it has changed. */
export function workingFolder(): string {
  return process.cwd()
}
