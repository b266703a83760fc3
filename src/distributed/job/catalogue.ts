import { requireObject, show, wrongType } from "../../checks.ts"
import { sourceText } from "../../primordials.ts"
import { type Place, placeOf } from "../../task/definitions.ts"
import { importModule } from "#host/code/evaluation"
import { moduleOfReferences } from "../../task/task.ts"

/** A module namespace or an object whose functions are the tasks. */
export type TaskCatalogue = object

type AnyFunction = (...args: never[]) => unknown

/**
 * The tasks that machines know by the same names: a module, an object of functions, or references made by `tasksOf`.
 *
 *     import * as tasks from "./tasks.js"
 *     new DistributedExecutor({ name: "images", engine, tasks })
 *
 * Only names travel. Tasks are the own enumerable members that are functions, and no classes: a name such as
 * `constructor` or `__proto__`, which every object inherits, is no task.
 */
export class Catalogue {
  readonly #tasks: Readonly<Record<string, unknown>>
  /** The URL of the module, if the tasks are references made by `tasksOf`. Their names are known once it is loaded. */
  readonly #module: string | undefined
  readonly #byName = new Map<string, AnyFunction>()
  readonly #names = new Map<AnyFunction, string>()
  /** Names of tasks made by `task()` or referred to by `tasksOf`, by their place. */
  readonly #byPlace = new Map<string, string>()

  constructor(tasks: TaskCatalogue) {
    requireObject("tasks", tasks, "a module or an object with functions")
    this.#tasks = tasks as Readonly<Record<string, unknown>>
    this.#module = moduleOfReferences(tasks)
    if (this.#module !== undefined) return
    for (const name of Object.keys(tasks)) this.#learn(name, this.#tasks[name])
    if (this.#byName.size === 0) {
      throw wrongType("Expected `tasks` to have functions, got an object without any: pass a module that exports them")
    }
  }

  /**
   * Loads the module of references made by `tasksOf`; has no effect on other catalogues. A node calls it, because it
   * has to know what it can run before it runs anything.
   */
  async load(): Promise<void> {
    if (this.#module === undefined) return
    const exports = await importModule(this.#module)
    for (const [name, value] of Object.entries(exports)) if (isTask(value)) this.#learn(name, this.#tasks[name])
  }

  #learn(name: string, value: unknown): void {
    if (!isTask(value)) return
    this.#byName.set(name, value)
    // A function may be there twice, under its name and as `default`: its own name is the better one.
    if (!this.#names.has(value) || value.name === name) this.#names.set(value, name)
    const place = placeOf(value)
    if (place !== undefined) this.#byPlace.set(keyOf(place), name)
  }

  /** The names of all tasks; of references made by `tasksOf`, once they are loaded. */
  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** The task of this name; undefined if there is none. */
  get(name: string): AnyFunction | undefined {
    return this.#byName.get(name)
  }

  /** The name of the function. Throws a TypeError that says what to do if it is none of the tasks. */
  nameOf(fn: AnyFunction): string {
    return this.#names.get(fn) ?? this.#nameByPlace(fn) ?? this.#refuse(fn)
  }

  #nameByPlace(fn: AnyFunction): string | undefined {
    const place = placeOf(fn)
    if (place === undefined) return undefined
    return this.#module === place.module ? place.name : this.#byPlace.get(keyOf(place))
  }

  #refuse(fn: AnyFunction): never {
    const what = typeof fn === "function" && fn.name === "" ? "a function without a name" : show(fn)
    const names = this.names.slice(0, 5).map((name) => `\`${name}\``)
    const known = names.length === 0 ? "" : ` It has ${names.join(", ")}${this.#byName.size > 5 ? ", …" : ""}.`
    throw wrongType(
      `Expected a task of the catalogue, got ${what}: machines know tasks by their names, so export the function from the module that is given as \`tasks\`, here and to every ExecutorNode.${known}`,
    )
  }
}

function keyOf({ module, name }: Place): string {
  return `${module}#${name}`
}

function isTask(value: unknown): value is AnyFunction {
  return typeof value === "function" && !/^class\b/.test(sourceText(value))
}
