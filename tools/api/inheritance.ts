/** How deep the classes of src inherit: [RP77] in docs/spec/repository.md. */
import { type Class, parseSync, Visitor } from "oxc-parser"
import { listFiles, readText } from "../check/files.ts"

/** Each class of src that extends others, with those, the class itself first. */
export function chainsIn(root: string): string[][] {
  const above = new Map<string, string>()
  for (const path of listFiles(root, "src", ".ts")) {
    const note = ({ id, superClass }: Class): void => {
      if (id !== null && superClass?.type === "Identifier") above.set(id.name, superClass.name)
    }
    new Visitor({ ClassDeclaration: note, ClassExpression: note }).visit(parseSync(path, readText(root, path)).program)
  }
  return [...above.keys()].map((name) => {
    const chain = [name]
    for (let next = above.get(name); next !== undefined; next = above.get(next)) chain.push(next)
    return chain
  })
}
