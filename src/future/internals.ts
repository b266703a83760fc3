/**
 * Names of members of futures that only corepool uses. They begin with `c$`: a program's subclass may have a method or
 * a field of any other name, and replaces none of these by accident [UC9]. To the compiler they are symbols, so that
 * code can only use them by their constants. They are no symbols when the program runs, because several copies of
 * corepool in one thread call the members of each other's objects (src/per-thread.ts), and because the published files
 * have the names in place of the constants (tools/bundle/plain-names.ts).
 *
 * What each member does stands where it is declared.
 */
export const ABANDON: unique symbol = "c$abandon" as never
export const ANNOUNCE: unique symbol = "c$announce" as never
export const BEGIN: unique symbol = "c$begin" as never
export const CAPTURE: unique symbol = "c$capture" as never
export const CAUSE_OF_CANCELLATION: unique symbol = "c$causeOfCancellation" as never
export const COME_BACK: unique symbol = "c$comeBack" as never
export const COMPLETE: unique symbol = "c$complete" as never
export const COMPLETION: unique symbol = "c$completion" as never
export const DECIDE: unique symbol = "c$decide" as never
export const ENDS_WITH_SUBMITTER: unique symbol = "c$endsWithSubmitter" as never
export const EXPIRE: unique symbol = "c$expire" as never
export const FAIL: unique symbol = "c$fail" as never
export const IS_PORTABLE: unique symbol = "c$isPortable" as never
export const IS_REMOTE: unique symbol = "c$isRemote" as never
export const IS_SETTLED: unique symbol = "c$isSettled" as never
export const KEEPER_OF: unique symbol = "c$keeperOf" as never
export const LEAVE_TO: unique symbol = "c$leaveTo" as never
export const MAY_END: unique symbol = "c$mayEnd" as never
export const NAME_IN_EVENTS: unique symbol = "c$nameInEvents" as never
export const NOTE: unique symbol = "c$note" as never
export const OBSERVATION: unique symbol = "c$observation" as never
export const OBSERVE: unique symbol = "c$observe" as never
export const OUTCOME: unique symbol = "c$outcome" as never
export const OUTPUT: unique symbol = "c$output" as never
export const REMOTE_HANDLE: unique symbol = "c$remoteHandle" as never
export const REMOTE_TASKS: unique symbol = "c$remoteTasks" as never
export const REMOTE_TIME: unique symbol = "c$remoteTime" as never
export const RENEW: unique symbol = "c$renew" as never
export const REPORT: unique symbol = "c$report" as never
export const RUN_REMOTELY: unique symbol = "c$runRemotely" as never
export const RUNS_HERE: unique symbol = "c$runsHere" as never
export const SEND_ARGUMENTS: unique symbol = "c$sendArguments" as never
export const SETTLE: unique symbol = "c$settle" as never
export const TAKE_BACK: unique symbol = "c$takeBack" as never
export const TIMING: unique symbol = "c$timing" as never
export const WAIT_IS_OVER: unique symbol = "c$waitIsOver" as never
export const WATCH: unique symbol = "c$watch" as never
export const WATCHER: unique symbol = "c$watcher" as never
export const WILL_BE_AWAITED: unique symbol = "c$willBeAwaited" as never
export const WORK: unique symbol = "c$work" as never
export const WORK_ARGUMENTS: unique symbol = "c$workArguments" as never
