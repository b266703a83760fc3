/** What a worker thread of a pool loads first, before corepool. */
import { getEnvironmentData } from "node:worker_threads"
import { countActivity } from "./activity.ts"
import { INHERITANCE, type Inheritance } from "./inheritance.ts"

const { activity, short } = getEnvironmentData(INHERITANCE) as unknown as Inheritance
countActivity(activity, short)
