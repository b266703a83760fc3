/** Contract of every ExecutorService: the output of tasks. Rules: docs/spec/executor.md. */
import { bind, type CapturedOutput, ExecutorCompletionService } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { ContractLab } from "./lab.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"
import { sayTwo, talk, talkAndFail } from "./talking-tasks.ts"

function talkOf(name: string): CapturedOutput {
  return { stdout: `${name} begins\n${name} ends\n`, stderr: `${name} warns, twice\n` }
}

export function testCapturing(subject: ExecutorUnderTest): void {
  const { name } = subject
  const can = needs(subject, "capture")

  test(`[OC1] [OC2] ${name}: each of many tasks at once has its own output`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = (await lab.executor()).with({ capture: true })
    const names = Array.from({ length: 20 }, (_, i) => `task ${i}`)
    const futures = names.map((each) => executor.submit(talk, each))
    assert.deepEqual(await Promise.all(futures), names)
    assert.deepEqual(
      futures.map(({ output }) => output),
      names.map(talkOf),
    )
  })

  test(`[OC1] ${name}: a task that fails has its output, and one without capture has none`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const failing = executor.with({ capture: { limit: 100 } }).submit(talkAndFail, "luck")
    assert.ok((await rejectionOf(failing)) instanceof RangeError)
    assert.deepEqual(failing.output, { stdout: "luck\n", stderr: "no luck\n" })
    const plain = executor
      .with({ capture: true })
      .with({ capture: false })
      .submit(() => 1)
    assert.equal(await plain, 1)
    assert.equal(plain.output, undefined)
  })

  test(`[OC7] ${name}: invokeAll and a completion service show the output of each task`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = (await lab.executor()).with({ capture: true })
    const [two, named] = await executor.invokeAll([sayTwo, bind(talk, "bound")])
    assert.deepEqual([two.resultNow(), two.output], [2, { stdout: "two\n", stderr: "" }])
    assert.deepEqual([named.resultNow(), named.output], ["bound", talkOf("bound")])
    const service = new ExecutorCompletionService<number>(executor)
    service.submit(sayTwo)
    assert.deepEqual((await service.take()).future.output, { stdout: "two\n", stderr: "" })
  })
}
