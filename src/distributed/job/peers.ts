/**
 * The packages that a queue engine needs. They are optional peers: a program installs those that it uses, and corepool
 * looks for each when it is first needed. A bundler does not see that, so a program can be bundled without them. A
 * program that is bundled into one file, and runs where no packages are installed, passes them by `usePeers`.
 */
import { loadPackage } from "#host/code/packages"
import { typeError } from "../../checks.ts"
import { UnsupportedOperationError } from "../../errors.ts"

/** The types of the packages, for a program that has them installed. */
export interface PeerModules {
  readonly bullmq: typeof import("bullmq")
  readonly pg: typeof import("pg")
  readonly ioredis: typeof import("ioredis")
}

type PeerName = keyof PeerModules

interface Peer {
  /** A class that it exports, and older versions do not. */
  readonly member: string
  /** The version for `npm install`. */
  readonly version: string
}

const PEERS: Readonly<Record<PeerName, Peer>> = {
  bullmq: { member: "PostgresQueueBackend", version: "bullmq@^6.7" },
  pg: { member: "Client", version: "pg@^8" },
  ioredis: { member: "Redis", version: "ioredis@^6" },
}

/** Packages as a program has imported them. */
export interface GivenPeers {
  /** The package bullmq. */
  readonly bullmq?: object
  /** The package pg. */
  readonly pg?: object
  /** The package ioredis. */
  readonly ioredis?: object
}

const found = new Map<PeerName, object>()

/**
 * Passes the packages to corepool, for programs in which they cannot be found: those that a bundler has put into one
 * file. Others need not call it.
 *
 *     import * as bullmq from "bullmq"
 *     import * as pg from "pg"
 *     usePeers({ bullmq, pg })
 */
export function usePeers(peers: GivenPeers): void {
  for (const name of Object.keys(PEERS) as PeerName[]) {
    const given = peers[name]
    if (given === undefined) continue
    const module = withMember(given, PEERS[name].member)
    if (module === undefined) throw typeError(name, `the package ${name}, with its class ${PEERS[name].member}`, given)
    found.set(name, module)
  }
}

/** The package of this name. `user` is the function that needs it, as a program writes it: `postgres()`. */
export function peer<N extends PeerName>(name: N, user: string): PeerModules[N] {
  let module = found.get(name)
  if (module === undefined) {
    module = find(name, user)
    found.set(name, module)
  }
  return module as PeerModules[N]
}

function find(name: PeerName, user: string): object {
  const { member, version } = PEERS[name]
  try {
    return loadPackage(name, (module) => withMember(module as object, member))
  } catch (cause) {
    throw new UnsupportedOperationError(
      `${user} needs the package ${name}: \`npm install ${version}\`. If it is installed, but the program is bundled, hand it over: \`usePeers({ ${name}: await import("${name}") })\``,
      { cause },
    )
  }
}

/** An `import` of a CommonJS module may have all members only in `default`. */
function withMember(module: object, member: string): object | undefined {
  for (const candidate of [module, (module as { default?: unknown }).default]) {
    const isObject = (typeof candidate === "object" && candidate !== null) || typeof candidate === "function"
    if (isObject && typeof (candidate as Record<string, unknown>)[member] === "function") return candidate
  }
  return undefined
}
