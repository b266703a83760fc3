/**
 * How a thread loads code that was not started by corepool: the program itself. It compiles the texts of text-files.ts by node:vm, as threads do. What is compiled so can be
 * given to the threads of pools, which need most of the same code, and start in half the time with that (src/platform/start/worker-code.ts).
 *
 * If corepool runs from its own files, an entry reads the bytes of all code that the program may come to need, in a millisecond, and keeps what this takes from modules of the
 * runtime as it is then. When code is needed, the program may have put other functions in the place of those of `node:fs`, as tests do that mock it. The package
 * may be gone, or no file can be opened any more. To compile the texts would take ten milliseconds, and is done when they are needed.
 *
 * The texts come by `require`
 *
 * - in bundles, where the files are not beside the entry's;
 * - on Deno, if the program may not read files itself: Deno would ask the user, at the terminal;
 * - in a context of node:vm, as test runners make them. There the code is run by `eval`, as node:vm would run it in the main context.
 *
 * It is a part of each entry that is a CommonJS module.
 */
import { BOOT, type TextFiles, reachable } from "./text-files.ts"
import { readTexts } from "./thread.ts"
import type { Chunks } from "./chunks.ts"

/** The modules of the runtime of which it keeps what code takes. These are loaded when a runtime starts, or by corepool at once. */
const KEPT: ReadonlySet<string> = new Set(["node:buffer", "node:fs", "node:os", "node:path", "node:url", "node:util"])

/** Statements that have a loader registered, unless there is one, and tell it of the texts of an entry; `begin` are the chunks that the entry begins with. They declare `corepoolFile`. */
export function ownLoader(chunks: Chunks, texts: TextFiles, entry: string, begin: readonly string[]): string {
  const { build, registry } = chunks
  const wanted = [...reachable(chunks, begin)]
  const numbers = [...new Set(wanted.map((name) => texts.places.get(name)?.file ?? 0))].toSorted((a, b) => a - b)
  const rows = [...texts.places].filter(([, { file }]) => numbers.includes(file))
  const table = rows.map(([name, { file, start, end, line }]) => [name, file, start, end, line])
  const required = texts.files.flatMap(({ name }, number) =>
    numbers.includes(number) ? [`${number}: () => corepoolRequire(\`./${name}\`)`] : [],
  )
  return `const corepoolParts = ${registry};
const corepoolTexts = corepoolParts.get("${build}/texts") ?? corepoolParts.set("${build}/texts", new Map()).get("${build}/texts");
const corepoolGroups = { ${required.join(", ")} };
for (const [name, file, start, end, line] of ${JSON.stringify(table)}) {
  if (!corepoolTexts.has(name)) corepoolTexts.set(name, [file, start, end, line, () => corepoolGroups[file]()[name]]);
}
if (!corepoolParts.has("${build}/file")) {
  const own = typeof __filename === "string" && /[/\\\\]${entry}\\.cjs$/.test(__filename);
  const folder = own ? __filename.slice(0, -${entry.length + 4}) : "corepool/";
  const { getBuiltinModule, versions } = process;
  const { Script } = getBuiltinModule("node:vm");
  const { closeSync, openSync, readSync } = getBuiltinModule("node:fs");
  const fs = { closeSync, openSync, readSync };
  const { Atomics, Buffer, Deno, Function, Int32Array, Reflect: { apply }, SharedArrayBuffer, eval: evaluate } = globalThis;
  const { runInThisContext } = Script.prototype;
  const { latin1Slice } = Buffer.prototype;
  const isMain = Script.constructor === Function;
  const words = own ? new Int32Array(new SharedArrayBuffer(${texts.size})) : undefined;
  const bytes = own ? Buffer.from(words.buffer) : undefined;
  const builtins = { __proto__: null, ${keptOf(chunks).join(", ")} };
  const scripts = new Map();
  ${readTexts(texts)}
  const textOf = ([file, start, end, , text]) => own && words[file] === 1 ? apply(latin1Slice, bytes, [start, end]) : text();
  const load = (name) => {
    const row = corepoolTexts.get(name);
    const text = textOf(row);
    const filename = folder + (own ? textFiles[row[0]][0] : name);
    const module = { exports: {} };
    let code;
    if (isMain) {
      const script = new Script(text, { __proto__: null, filename, lineOffset: own ? row[3] : 0 });
      code = apply(runInThisContext, script, []);
      if (!("bun" in versions || "deno" in versions)) scripts.set(name, script);
    } else code = evaluate(text + "\\n//# sourceURL=" + filename);
    code(module, given);
    corepoolParts.set("${build}/" + name, module.exports);
    return module.exports;
  };
  const given = {
    parts: corepoolParts,
    file: (name) => corepoolParts.get("${build}/" + name) ?? load(name),
    place: own ? folder + "corepool-thread.cjs" : undefined,
    builtin: (name) => builtins[name] ?? getBuiltinModule(name),
    memory: words,
    read: () => textFiles.forEach((_, number) => readTexts(number)),
    scripts,
    source: () => {
      const all = {};
      for (const [name, row] of corepoolTexts) all[name] = textOf(row);
      return { boot: all.${BOOT}, texts: all };
    },
    importModule: (url) => corepoolImport(url),
    functionOf: (body) => new Function(body),
  };
  const mayRead = own && isMain && (Deno === undefined || Deno.permissions.querySync({ name: "read", path: folder }).state === "granted");
  corepoolParts.set("${build}/file", given.file).set("${build}/read", (numbers) => {
    try {
      if (mayRead) numbers.forEach(readTexts);
    } catch {
      // require tells why, when it is needed
    }
  });
}
const corepoolFile = corepoolParts.get("${build}/file");
corepoolParts.get("${build}/read")?.(${JSON.stringify(numbers)});
`
}

/** Properties of an object: the modules that are kept, each with what code takes from it. */
function keptOf({ builtins }: Chunks): string[] {
  const all = new Map<string, Set<string>>()
  for (const [module, names] of [...builtins.values()].flat()) {
    if (KEPT.has(module)) all.set(module, new Set([...(all.get(module) ?? []), ...names]))
  }
  return [...all].map(([module, names]) => {
    const list = [...names].join(", ")
    return `${JSON.stringify(module)}: (({ ${list} }) => ({ ${list} }))(getBuiltinModule(${JSON.stringify(module)}))`
  })
}
