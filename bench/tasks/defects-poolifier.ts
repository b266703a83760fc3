import * as tasks from "./defects.ts"
import { installed } from "./packages.ts"

const { ThreadWorker } = await installed<{ ThreadWorker: new (tasks: object) => object }>("poolifier")
export default new ThreadWorker({ ...tasks })
