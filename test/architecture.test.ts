/** The architecture of src, as it is. The check itself is tested in `test/tools/architecture.test.ts`. */
import assert from "node:assert/strict"
import test from "node:test"
import { checkArchitecture } from "../tools/check/architecture.ts"
import { ROOT, told } from "./tools/fixture.ts"

test("[RP1][RP2][RP3][RP4][RP5] the layers of src point one way, without circles or foreign imports", () => {
  assert.deepEqual(told(checkArchitecture(ROOT)), [])
})
