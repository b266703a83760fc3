/**
 * How a thread loads files of code that was not started by corepool: the program itself. `require` could do that, and does where this cannot. But what
 * is compiled by node:vm can be given to the threads of pools, which need most of these files too, and start in half the time with that
 * (src/platform/worker-code.ts). And `require` takes half a millisecond for each file to find out where it is.
 *
 * It is a part of each file `part-*.cjs`. There is none
 *
 * - in bundles, where the files are not beside that file;
 * - on Bun and Deno, which have no code to give;
 * - in a context of node:vm, as test runners make them: scripts would be run in the main one.
 */
import { HEAD, TAIL } from "./thread.ts"

/** Statements that have the loader registered, for a build. */
export function ownLoader(build: string): string {
  return `const corepoolOwn = typeof __filename === "string" && /part-[^/\\\\]*\\.cjs$/.exec(__filename);
if (corepoolOwn && !corepoolParts.has("${build}/load") && !("bun" in process.versions || "deno" in process.versions)) {
  const { Script } = process.getBuiltinModule("node:vm");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const folder = __filename.slice(0, corepoolOwn.index);
  const scripts = new Map();
  const given = {
    parts: corepoolParts,
    builtin: process.getBuiltinModule,
    importModule: (url) => import(/* webpackIgnore: true */ /* @vite-ignore */ url),
    functionOf: (body) => new Function(body),
  };
  const load = (name) => {
    const filename = folder + name;
    let text;
    try {
      text = readFileSync(filename, "latin1");
    } catch {
      return; // require tells why
    }
    const script = new Script(${JSON.stringify(HEAD)} + text + ${JSON.stringify(TAIL)}, { __proto__: null, filename });
    const module = { exports: {} };
    script.runInThisContext()(module, require, filename, given);
    scripts.set(name, script);
    return module.exports;
  };
  if (new Script("globalThis").runInThisContext() === globalThis) corepoolParts.set("${build}/scripts", scripts).set("${build}/load", load);
}
`
}
