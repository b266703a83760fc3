/** A browser loads no package by its name at once. The program hands it over: `useCroner(croner)`. */
export function loadPackage<T>(name: string, _accept: (module: unknown) => T | undefined): T {
  throw new Error(`a browser does not load ${name} by its name`)
}
