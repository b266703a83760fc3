/** The contract of ScheduledExecutorService, put to the scheduled executors of threads. */
import { Executors } from "corepool"
import { AWAITING } from "../../contract/executor-service.ts"
import { testScheduledExecutorService } from "../../contract/scheduled-executor-service.ts"

testScheduledExecutorService({
  name: "a scheduled pool of virtual threads",
  open: (factory) => Executors.newScheduledThreadPool(2, factory),
})

testScheduledExecutorService({
  name: "a scheduled pool of platform threads",
  work: AWAITING,
  open: (factory) => Executors.newScheduledThreadPool(2, factory),
})

testScheduledExecutorService({
  name: "an unconfigurable scheduled executor",
  open: (factory) => Executors.unconfigurableScheduledExecutorService(Executors.newScheduledThreadPool(2, factory)),
})
