import * as corepool from "corepool"
import * as atomic from "corepool/atomic"
import * as distributed from "corepool/distributed"
import * as lock from "corepool/lock"
import * as queue from "corepool/queue"
import * as sync from "corepool/sync"
import * as manual from "corepool/testing"
import * as virtual from "corepool/virtual"
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { Declarations } from "../../tools/api/declarations.ts"
import { chainsIn } from "../../tools/api/inheritance.ts"
import { chainOf, classesIn, unlistedMembers } from "../../tools/api/members.ts"

const ROOT = join(fileURLToPath(import.meta.url), "../../../..")
const ENTRIES = { corepool, atomic, distributed, lock, queue, sync, testing: manual, virtual }

const declarations = new Declarations(ROOT)

for (const [entry, exports] of Object.entries(ENTRIES)) {
  const classes = classesIn(exports)
  test(`[RP76] ${entry}: no public class has a member with a plain name that its published types do not list`, () => {
    assert.ok(classes.length > 0)
    for (const [name, type] of classes) {
      const found = unlistedMembers(declarations, name, type)
      assert.deepEqual(found, [], `${name}: ${[...chainOf(type)].map((one) => one.name).join(" < ")}`)
    }
  })
}

test("[RP76] a member that the types do not list is found, in the class and in those that it extends", () => {
  class Base extends corepool.Semaphore {
    hidden = 1
  }
  class Semaphore extends Base {
    secret(): void {}
    override acquireSync(permits?: number) {
      return super.acquireSync(permits)
    }
  }
  assert.deepEqual(unlistedMembers(declarations, "Semaphore", Semaphore), ["hidden", "secret"])
})

test("[RP77] no class of src is more than five classes deep", () => {
  const chains = chainsIn(ROOT)
  assert.ok(chains.length > 50)
  assert.deepEqual(
    chains.filter((chain) => chain.length > 5).map((chain) => chain.join(" < ")),
    [],
  )
})
