/**
 * The entry `corepool` as an ES module. In Node it runs `index.cjs` itself, by node:vm, which saves what Node does to import a CommonJS module: it starts a lexer for the
 * names of its exports, and looks for it a second time as `require` would. That is a sixth of the time of the import, and half a MB in each thread.
 *
 * Bundlers, and the tools that copy the files of a program, have to see that `index.js` needs `index.cjs`. So `index.js` imports `#index`, which package.json translates: to `index.js`
 * itself for Node, by two conditions that no bundler has both of, and to `index.cjs` for everyone else. A module that imports itself gets its own exports, which have no values yet.
 * In the thread of a pool, whose loader knows all texts (thread.ts), it takes its exports from the texts, and does not read `index.cjs`: 0.1 MB less in each thread.
 * (The built-in module `vm` in the place of `index.js` would be as fast. But the resolvers of Jest and of ts-node find no built-in module there.)
 */

/** What such a module imports: see `imports` of package.json. */
const SPECIFIER = "#index"

/**
 * The text of the module, given its exports and, to take them from the texts, some statements and the object with them. The names that it declares besides begin with `corepool`. It has no `new URL("…", import.meta.url)`, of which bundlers make a
 * file of their own.
 */
export function directModule(names: readonly string[], fromTexts: string): string {
  const list = names.map((name) => `  ${name},\n`).join("")
  return `import * as corepoolFound from "${SPECIFIER}";
const corepoolIsThere = () => {
  try {
    return corepoolFound.${names[0]} !== undefined;
  } catch {
    return false; // it is this module itself
  }
};
const corepoolOfThread = () => {
  ${fromTexts}
};
const corepoolRun = () => {
  const { getBuiltinModule } = process;
  const filename = getBuiltinModule("node:url").fileURLToPath(import.meta.url).replace(/js$/, "cjs");
  const require = (id) => getBuiltinModule("node:module").createRequire(filename)(id);
  let text;
  try {
    text = getBuiltinModule("node:fs").readFileSync(filename, "utf8");
  } catch {
    return require(filename);
  }
  const code = \`(function(exports,require,__filename){\${text}\\n})\`;
  const { Script, constants } = getBuiltinModule("node:vm");
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const exports = {};
  const run =
    Script.constructor === Function
      ? new Script(code, { __proto__: null, filename, importModuleDynamically }).runInThisContext()
      : (0, eval)(code); // in a context of node:vm, the other one would run it in the main context
  run(exports, require, filename);
  return exports;
};
const {
${list}} = corepoolIsThere() ? corepoolFound : (corepoolOfThread() ?? corepoolRun());
export {
${list}};
`
}
