/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/distributed`: the same executors across machines, on a queue engine. */
export { type GivenPeers, usePeers } from "./peers.ts"
