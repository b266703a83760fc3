/** What threads do with values that resist being looked at. */
import { make, type Recipe } from "./hostile-values.ts"

export function take(_value: unknown): number {
  return 1
}

export function give(recipe: Recipe): unknown {
  return make(recipe)
}

export function raise(recipe: Recipe): never {
  throw make(recipe) as Error
}

export async function giveLater(recipe: Recipe): Promise<unknown> {
  await Promise.resolve()
  return make(recipe)
}

export async function raiseLater(recipe: Recipe): Promise<never> {
  await Promise.resolve()
  throw make(recipe) as Error
}
