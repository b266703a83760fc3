/** What the compiler knows about scopes, joiners and scoped values. */
import { Joiner, ScopedValue, StructuredTaskScope, type Subtask } from "corepool"
import { typeOf } from "./same.ts"

export async function subtasksHaveTheirOwnTypes(): Promise<void> {
  await using scope = StructuredTaskScope.open()
  const name = scope.fork(async (id: number) => `${id}`, 1)
  const size = scope.fork(() => 1)
  typeOf(scope.join()).is<Promise<void>>()
  typeOf(name.get()).is<string>()
  typeOf(size.get()).is<number>()
  typeOf(size.state).is<"unavailable" | "success" | "failed">()
  // @ts-expect-error an argument of another type
  scope.fork((id: number) => id, "1")
}

export async function joinersDecideOnTheTypeOfJoin(): Promise<void> {
  await using all = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<number | string>())
  typeOf(all.fork(async (n: number) => n, 1)).is<Subtask<number>>()
  typeOf(all.fork((s: string) => s, "a")).is<Subtask<string>>()
  typeOf(all.join()).is<Promise<Subtask<number | string>[]>>()
  await using any = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<number>())
  typeOf(any.join()).is<Promise<number>>()
  // @ts-expect-error a result of another type
  any.fork(() => "1")
  await using own = StructuredTaskScope.open({ onComplete: () => false, result: async () => new Date() })
  typeOf(own.join()).is<Promise<Date>>()
}

export async function valuesHaveTheirType(): Promise<void> {
  const user = ScopedValue.newInstance<string>()
  typeOf(ScopedValue.where(user, "Ada").call(() => 1)).is<number>()
  typeOf(await ScopedValue.where(user, "Ada").run(async () => user.get())).is<string>()
  typeOf(user.orElse(undefined)).is<string | undefined>()
  // @ts-expect-error a value of another type
  ScopedValue.where(user, 1)
}
