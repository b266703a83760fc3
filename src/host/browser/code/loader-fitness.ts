/** No task can replace the loader of a browser. */

export function canLoadModules(): boolean {
  return true
}

export function hasLoader(): boolean {
  return true
}
