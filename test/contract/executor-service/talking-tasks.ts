/** Tasks that write. They refer to nothing around them: see simple-tasks.ts. */

export async function talk(name: string): Promise<string> {
  console.log("%s begins", name)
  process.stderr.write(`${name} warns, `)
  await new Promise((resolve) => setTimeout(resolve))
  console.error("twice")
  process.stdout.write(`${name} ends\n`)
  return name
}

export async function talkAndFail(text: string): Promise<never> {
  console.info(text)
  await Promise.resolve()
  console.warn("no", text)
  throw new RangeError(text)
}

export function sayTwo(): number {
  console.log("two")
  return 2
}
