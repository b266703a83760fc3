import * as tasks from "./defects.ts"
import { installed } from "./packages.ts"

const worker = await installed<{ expose(tasks: object): void }>("threads/worker")
worker.expose({ ...tasks })
