/**
 * How a thread loads files of code that was not started by corepool: the program itself. `require` could do that, and does where this cannot. But
 *
 * - what is compiled by node:vm can be given to the threads of pools, which need most of these files too, and start in half the time with that
 *   (src/platform/start/worker-code.ts);
 * - `require` takes half a millisecond for each file to find out where it is;
 * - when a file is needed, the program may have put other functions in the place of those of `node:fs`, as tests do that mock it. The package may be gone, or no file can be opened any
 *   more. So an entry reads, in a millisecond, the texts of all files that the program may come to need, and keeps what these take from modules of the runtime as it is then. To
 *   compile the texts would take ten, and is done when they are needed.
 *
 * It is a part of each file `part-*.cjs`. There is none
 *
 * - in bundles, where the files are not beside that file;
 * - on Deno, if the program may not read files itself: Deno would ask the user, at the terminal;
 * - in a context of node:vm, as test runners make them: scripts would be run in the main one.
 */
import type { Chunks } from "./chunks.ts"
import { HEAD, TAIL } from "./thread.ts"

/** The modules of the runtime of which it keeps what files take. These are loaded when a runtime starts, or by corepool at once. */
const KEPT: ReadonlySet<string> = new Set(["node:buffer", "node:fs", "node:os", "node:path", "node:url", "node:util"])

/** What a file takes from modules of the runtime: the names of modules, and the names of what they export. */
type Builtins = Iterable<readonly [string, readonly string[]]>

/** Statements that have the loader registered, for a build whose files take these from modules of the runtime. */
export function ownLoader(build: string, builtins: Builtins): string {
  return `const corepoolOwn = typeof __filename === "string" && /part-[^/\\\\]*\\.cjs$/.exec(__filename);
if (corepoolOwn && !corepoolParts.has("${build}/load")) {
  const { getBuiltinModule, versions } = process;
  const { Script } = getBuiltinModule("node:vm");
  const { closeSync, openSync, readFileSync, readSync } = getBuiltinModule("node:fs");
  const { Buffer, Deno, Function, Reflect: { apply } } = globalThis;
  const { runInThisContext } = Script.prototype;
  const { latin1Slice } = Buffer.prototype;
  const folder = __filename.slice(0, corepoolOwn.index);
  const builtins = { __proto__: null, ${keptOf(builtins).join(", ")} };
  const scripts = new Map();
  const texts = { __proto__: null };
  const given = {
    parts: corepoolParts,
    builtin: (name) => builtins[name] ?? getBuiltinModule(name),
    importModule: (url) => corepoolImport(url),
    functionOf: (body) => new Function(body),
  };
  const others = (name) => getBuiltinModule("node:module").createRequire(folder)(name);
  const read = (filename) => {
    try {
      return readFileSync(filename, "latin1");
    } catch {
      return; // require tells why
    }
  };
  const load = (name) => {
    const filename = folder + name;
    const bytes = texts[name];
    const text = bytes === undefined ? read(filename) : apply(latin1Slice, bytes, []);
    if (text === undefined) return;
    const script = new Script(${JSON.stringify(HEAD)} + text + ${JSON.stringify(TAIL)}, { __proto__: null, filename });
    const module = { exports: {} };
    apply(runInThisContext, script, [])(module, others, filename, given);
    delete texts[name];
    if (!("bun" in versions || "deno" in versions)) scripts.set(name, script);
    return module.exports;
  };
  const keep = (sizes) => {
    const files = sizes.filter(([name]) => !(name in texts || corepoolParts.has("${build}/" + name)));
    const bytes = Buffer.allocUnsafeSlow(files.reduce((sum, [, size]) => sum + size, 0));
    let at = 0;
    for (const [name, size] of files) {
      const start = at;
      const end = start + size;
      try {
        const file = openSync(folder + name);
        try {
          for (let count = 1; at < end && count > 0; at += count) count = readSync(file, bytes, at, end - at);
        } finally {
          closeSync(file);
        }
      } catch {
        return; // what is read when it is needed can fail then
      }
      if (at !== end) return;
      texts[name] = bytes.subarray(start, end);
    }
  };
  const mayRead = Deno === undefined || Deno.permissions.querySync({ name: "read", path: folder }).state === "granted";
  if (mayRead && Script.constructor === Function) {
    corepoolParts.set("${build}/scripts", scripts).set("${build}/load", load).set("${build}/keep", keep);
  }
}
`
}

/** Properties of an object: the modules that are kept, each with what files take from it. */
function keptOf(builtins: Builtins): string[] {
  const all = new Map<string, Set<string>>()
  for (const [module, names] of builtins) {
    if (KEPT.has(module)) all.set(module, new Set([...(all.get(module) ?? []), ...names]))
  }
  return [...all].map(([module, names]) => {
    const list = [...names].join(", ")
    return `${JSON.stringify(module)}: (({ ${list} }) => ({ ${list} }))(getBuiltinModule(${JSON.stringify(module)}))`
  })
}

const REQUIRED = /\brequire\("\.\/(code-[a-z-]+\.cjs)"\)/g

/** A statement for the end of a file that has loaded the files `now`: the loader is to read those that may be needed later. Empty if there are none. */
export function keepTexts({ build, files }: Chunks, now: readonly string[]): string {
  const all = new Set(now)
  for (const file of all) for (const [, name = ""] of (files.get(file) ?? "").matchAll(REQUIRED)) all.add(name)
  const late = [...all].filter((file) => !now.includes(file))
  const sizes = late.map((file) => [file, (files.get(file) ?? "").length])
  return late.length === 0 ? "" : `corepoolParts.get("${build}/keep")?.(${JSON.stringify(sizes)});`
}
