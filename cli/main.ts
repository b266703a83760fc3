#!/usr/bin/env node
/** The command `corepool`. Its commands are in files of their own: map-command.ts, node-command.ts, attach-command.ts. */
import { Command, CommanderError } from "commander"
import { addAttachCommands } from "./attach-command.ts"
import { splitArguments } from "./inputs.ts"
import { addMapCommand } from "./map-command.ts"
import { addNodeCommand } from "./node-command.ts"
import { endQuietlyWithoutReader, EXIT, UsageError } from "./process.ts"
import { VERSION } from "./version.ts"

/** Whether the operating system has refused something, such as to open a file: the message says it all. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error
}

async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithoutReader()
  const { options, groups } = splitArguments(argv)
  const program = new Command("corepool")
    .description("Thread pools on the command line.")
    .version(VERSION)
    .showHelpAfterError("(corepool help shows the commands, corepool map --help the options)")
    .exitOverride()
  addMapCommand(program, groups)
  addNodeCommand(program)
  addAttachCommands(program)
  try {
    await program.parseAsync(options, { from: "user" })
  } catch (error) {
    process.exitCode = EXIT.usage
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) process.exitCode = EXIT.success // help and version
    } else if (error instanceof UsageError || isOfSystem(error)) {
      process.stderr.write(`corepool: ${error.message}\n`)
    } else {
      process.stderr.write(`corepool: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    }
  }
  process.stdin.destroy() // an input that has not ended does not keep the process alive
}

await main(process.argv.slice(2))
