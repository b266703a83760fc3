/**
 * Loads TypeScript that the runtime of a thread cannot load by itself: hooks of Node's module loader.
 *
 * - `resolve` finds what a compiler would find: `./helper.js` may be the file helper.ts, and `./helper` too.
 * - `load` has the types removed by a compiler that is installed: esbuild, the one of Vite (rolldown), or typescript.
 *
 * Both first ask the next loader, and act where that fails. So another loader keeps working as it did, and so does Node
 * where it can remove types by itself.
 *
 * A module becomes an ES module, whatever its package.json says, unless it is written as CommonJS (`__filename`,
 * `require`, `export =`): compilers do the same, and packages under test seldom name a type. Settings of the compiler
 * are not read; with tsx they are.
 */
/* oxlint-disable unicorn/consistent-function-scoping -- hooks travel as the text of one function */

export interface Resolved {
  readonly url: string
}

export interface Loaded {
  readonly format?: string | null | undefined
  readonly source?: unknown
  readonly shortCircuit?: boolean
}

type Next<T> = (name: string, context: object) => T

/**
 * For `module.register` (the next loader returns promises) and for `module.registerHooks` (it returns values) alike.
 */
export interface TypeScriptHooks {
  readonly resolve: (
    specifier: string,
    context: { readonly parentURL?: string | undefined },
    next: Next<Resolved>,
  ) => Resolved
  readonly load: (url: string, context: object, next: Next<Loaded>) => Loaded
  /** The text of a file as CommonJS, for `require`. */
  readonly commonJs: (path: string) => string
}

export type HookGlobals = Pick<typeof globalThis, "process" | "URL" | "Error" | "SyntaxError" | "String">

/**
 * This function refers to nothing outside of it: Node 20 runs hooks in a thread of their own, which gets them as text.
 *
 * Even of global objects it uses only its parameter: a bundler renames these.
 *
 * CommonJS modules are left to `require`, which then calls `commonJs`. If `load` gave the text of such a module, Node
 * 22 would run it with a `require` that asks no hooks.
 */
export function typeScriptHooks({ process, URL, Error, SyntaxError, String }: HookGlobals): TypeScriptHooks {
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs")
  const { createRequire } = process.getBuiltinModule("node:module")
  const { fileURLToPath } = process.getBuiltinModule("node:url")

  /** The result of `first`, or of `second` with its error: at once, or later. */
  function otherwise<T>(first: () => T, second: (error: unknown) => T): T {
    try {
      const result = first() as T & { then?: (done: undefined, failed: (error: unknown) => T) => T }
      return typeof result.then === "function" ? result.then(undefined, second) : result
    } catch (error) {
      return second(error)
    }
  }

  function codeOf(error: unknown): unknown {
    return typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined
  }

  // ---------------------------------------------------------------- names

  const NOT_FOUND: unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"]

  /** What a compiler would look for. */
  function candidates(specifier: string): string[] {
    const [name = "", query = ""] = specifier.split(/(?=[?#])/, 2)
    const instead = /\.[cm]?jsx?$/.test(name)
      ? [name.replace(/js(x?)$/, "ts$1"), name.replace(/\.js$/, ".tsx")]
      : [".ts", ".tsx", ".mts", ".cts", ".js", "/index.ts", "/index.tsx", "/index.js"].map((ending) => name + ending)
    return instead.filter((other) => other !== name).map((other) => other + query)
  }

  function resolve(
    specifier: string,
    context: { readonly parentURL?: string | undefined },
    next: Next<Resolved>,
  ): Resolved {
    return otherwise(
      () => next(specifier, context),
      (error) => {
        if (!NOT_FOUND.includes(codeOf(error)) || !/^(?:\.{0,2}\/|file:)/.test(specifier)) throw error
        for (const candidate of candidates(specifier)) {
          const url = URL.canParse(candidate, context.parentURL) ? new URL(candidate, context.parentURL) : undefined
          if (url?.protocol !== "file:" || !existsSync(fileURLToPath(url))) continue
          // `require` needs a path.
          return next(codeOf(error) === "MODULE_NOT_FOUND" ? fileURLToPath(url) : url.href, context)
        }
        throw error
      },
    )
  }

  // ---------------------------------------------------------------- texts

  type Kind = "module" | "commonjs"
  type Compile = (text: string, path: string, kind: Kind) => string

  function kindOf(path: string, text: string): Kind {
    if (/\.[cm]ts$/.test(path)) return path.endsWith(".mts") ? "module" : "commonjs"
    if (/\bimport\.meta\b/.test(text)) return "module"
    return /\b__(?:file|dir)name\b|\brequire\s*\(|\bmodule\.exports\b|^\s*export\s*=/m.test(text)
      ? "commonjs"
      : "module"
  }

  /** Whether Node needs no compiler for it. A wrong no costs only time. */
  function isPlain(path: string, text: string): boolean {
    if (!("typescript" in process.features) || path.endsWith(".tsx")) return false
    const hasMore =
      /\b(?:enum|namespace|module)\s+[\w$]|\bimport\s+\w+\s*=|\bexport\s*=|^\s*@\w|[(,]\s*(?:public|private|protected|readonly)\s/m
    if (hasMore.test(text)) return false
    return kindOf(path, text) === "module" || !/^\s*(?:import|export)\b/m.test(text)
  }

  /** The compilers, and how each is called. */
  const COMPILERS: readonly [string, (compiler: never) => Compile | undefined][] = [
    [
      "esbuild",
      ({ transformSync }: { transformSync: (text: string, options: object) => { code: string } }) =>
        (text, path, kind) =>
          transformSync(text, {
            loader: path.endsWith("x") ? "tsx" : "ts",
            format: kind === "module" ? "esm" : "cjs",
            target: "node20",
            keepNames: true, // tasks are found by their names
            sourcefile: path,
            sourcemap: "inline",
          }).code,
    ],
    [
      "rolldown/experimental",
      ({
          transformSync,
        }: {
          transformSync: (path: string, text: string, options: object) => { code: string; errors: unknown[] }
        }) =>
        (text, path, kind) => {
          if (kind === "commonjs") throw new Error(`Vite compiles to ES modules only, and this is a CommonJS module`)
          const { code, errors } = transformSync(path, text, { lang: path.endsWith("x") ? "tsx" : "ts" })
          if (errors.length > 0) throw new SyntaxError(errors.map(String).join("\n"))
          return code
        },
    ],
    [
      "typescript",
      ({ transpileModule }: { transpileModule?: (text: string, options: object) => { outputText: string } }) =>
        transpileModule &&
        ((text, path, kind) =>
          transpileModule(text, {
            fileName: path,
            compilerOptions: {
              module: kind === "module" ? 99 : 1, // ESNext, CommonJS
              target: 9, // ES2022
              jsx: 4, // react-jsx
              esModuleInterop: true,
              inlineSourceMap: true,
            },
          }).outputText),
    ],
  ]

  /** From where a compiler is looked for: the module, the program, and the tools that bring one. */
  function basesOf(path: string): string[] {
    const bases = [path, `${process.cwd()}/_`]
    for (const tool of ["tsx", "vitest", "vite"]) {
      const found = bases.map((base) => pathFrom(base, `${tool}/package.json`)).find((at) => at !== undefined)
      if (found !== undefined) bases.push(found)
    }
    return bases
  }

  function pathFrom(base: string, name: string): string | undefined {
    try {
      return createRequire(base).resolve(name)
    } catch {
      return undefined // not installed there
    }
  }

  function find(path: string): Compile {
    const bases = basesOf(path)
    for (const [name, make] of COMPILERS) {
      for (const base of bases) {
        if (pathFrom(base, name) === undefined) continue
        const found = make(createRequire(base)(name) as never)
        if (found !== undefined) return found
      }
    }
    throw new Error(
      `Node ${process.versions.node} does not load this TypeScript by itself, and the thread finds none of tsx, esbuild, vite and typescript that could compile it: npm install --save-dev tsx, use Node 22.18 or later, or name the compiled module`,
    )
  }

  let compiler: Compile | undefined

  function compile(path: string, text: string, kind: Kind): string {
    compiler ??= find(path)
    return compiler(text, path, kind)
  }

  function load(url: string, context: object, next: Next<Loaded>): Loaded {
    if (!/^file:[^?#]*\.[cm]?tsx?(?:$|[?#])/.test(url)) return next(url, context)
    const path = fileURLToPath(url)
    const text = readFileSync(path, "utf8")
    const compiled = (): Loaded => {
      const format = kindOf(path, text)
      return { format, source: format === "commonjs" ? null : compile(path, text, format), shortCircuit: true }
    }
    if ("typescript" in process.features) {
      if (!isPlain(path, text)) return compiled()
      const plain = next(url, context)
      const isOther = plain.format === "commonjs-typescript" && kindOf(path, text) === "module"
      return isOther ? { format: "module-typescript", source: text, shortCircuit: true } : plain
    }
    return otherwise(
      () => next(url, context),
      (error) => {
        if (codeOf(error) !== "ERR_UNKNOWN_FILE_EXTENSION") throw error
        return compiled()
      },
    )
  }

  return { resolve, load, commonJs: (path) => compile(path, readFileSync(path, "utf8"), "commonjs") }
}
