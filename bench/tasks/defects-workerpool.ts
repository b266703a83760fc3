import * as tasks from "./defects.ts"
import { installed } from "./packages.ts"

interface Workerpool {
  readonly default: { worker(methods: object): void }
}

const workerpool = await installed<Workerpool>("workerpool")
workerpool.default.worker({ ...tasks })
