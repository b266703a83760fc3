import { loadPackage } from "#host/code/packages"
import { typeError } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import { propertyOf } from "../user-values.ts"

/** The package `@opentelemetry/api`, an optional peer. */
export type Api = typeof import("@opentelemetry/api")

const NAME = "@opentelemetry/api"
/** What corepool uses of it. */
const PARTS = ["context", "metrics", "propagation", "trace"] as const

/**
 * The package that the program has handed over, or else the installed one. All copies of it in a thread share what
 * the SDK has registered.
 *
 * @param user - The function that needs it, as a program writes it: `instrument`.
 */
export function requireApi(given: object | undefined, user: string): Api {
  if (given !== undefined) {
    const api = apiOf(given)
    if (api === undefined) throw typeError("api", `the package ${NAME}`, given)
    return api
  }
  try {
    return loadPackage(NAME, apiOf)
  } catch (cause) {
    throw new UnsupportedOperationError(
      `${user}() needs the package ${NAME}: \`npm install ${NAME}@^1.9\`. If it is installed, but the program is bundled, hand it over: \`${user}({ api: await import("${NAME}") })\``,
      { cause },
    )
  }
}

/** An `import` of a CommonJS module may have all members only in `default`. */
function apiOf(module: unknown): Api | undefined {
  return [module, propertyOf(module, "default")].find((candidate) =>
    PARTS.every((part) => typeof propertyOf(candidate, part) === "object"),
  ) as Api | undefined
}
