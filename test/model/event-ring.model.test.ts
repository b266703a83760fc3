/** The ring of events under every interleaving of its writer, which may die before any step, and a reader. */
import { load, sharedWords } from "#atomics"
import { EventRingReader, EventRingWriter, ringWords } from "#src/memory/structures/event-ring.js"
import assert from "node:assert/strict"
import test from "node:test"
import { explore, name } from "./explore.ts"
import { assertExplored } from "./support.ts"

const PLACES = 2

/** Each number of an entry follows from the others, so that a mixture of two entries is noticed. */
function readAll(words: Int32Array, reader: EventRingReader, got: number[]): void {
  reader.read((a, b, c, at) => {
    assert.deepEqual([b, c, at], [a + 10, a + 20, a + 0.5], "an entry is whole")
    got.push(a)
  })
  void words
}

for (const entries of [1, 3]) {
  test(`[EG1] [EG2] [EG3] ${entries} entries are read whole and in order, or counted as dropped`, () => {
    const report = explore({
      setup: () => {
        const words = sharedWords(ringWords(PLACES))
        name(words, "ring", { head: 0 })
        return words
      },
      threads: {
        writer: (words) => {
          const writer = new EventRingWriter(words, PLACES)
          for (let i = 1; i <= entries; i++) writer.write(i, i + 10, i + 20, i + 0.5)
          return true
        },
        reader: (words) => {
          const reader = new EventRingReader(words, PLACES, true)
          const got: number[] = []
          readAll(words, reader, got)
          return [...got, -reader.dropped]
        },
      },
      kill: ["writer"],
      finally: (words, { reader }) => {
        assert.ok(reader !== undefined, "the reader does not wait for the writer")
        const got = reader.slice(0, -1)
        const dropped = -(reader.at(-1) as number)
        assert.deepEqual(
          got,
          got.map((_, i) => (got[0] as number) + i),
          "in order",
        )
        assert.ok(dropped + got.length <= load(words, 0))
        // A successor goes on where the dead writer stopped.
        const head = load(words, 0)
        new EventRingWriter(words, PLACES).write(7, 17, 27, 7.5)
        const late = new EventRingReader(words, PLACES, true)
        const all: number[] = []
        readAll(words, late, all)
        assert.equal(all.at(-1), 7)
        assert.equal(all.length + late.dropped, head + 1)
      },
    })
    assertExplored(report, 20)
  })
}
