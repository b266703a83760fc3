/** Registered classes. Rule ids are those of docs/spec/codec.md. */
import { IllegalStateError, NotSerializableError } from "corepool"
import { copyOf, decode, encode } from "#src/codec/codec.js"
import { registerClass } from "#src/codec/revival.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import type { Parcel } from "./attachments.workers.ts"

class Money {
  static made = 0
  readonly amount: bigint
  readonly currency: string
  next: Money | undefined

  constructor(amount: bigint, currency: string) {
    Money.made++
    this.amount = amount
    this.currency = currency
  }

  toString(): string {
    return `${this.amount} ${this.currency}`
  }
}

class Temperature {
  readonly #kelvin: number

  private constructor(kelvin: number) {
    this.#kelvin = kelvin
  }

  static ofKelvin(kelvin: number): Temperature {
    if (kelvin < 0) throw new RangeError("colder than cold")
    return new Temperature(kelvin)
  }

  get kelvin(): number {
    return this.#kelvin
  }
}

class PaymentError extends TypeError {
  override readonly name = "PaymentError"
  readonly price: Money

  constructor(message: string, price: Money) {
    super(message)
    this.price = price
  }
}

class CardError extends PaymentError {}

registerClass(Money)
registerClass(Temperature, {
  name: "test/Temperature",
  encode: ({ kelvin }) => kelvin,
  decode: (kelvin: number) => Temperature.ofKelvin(kelvin),
})
registerClass(PaymentError)

test("[CD17] instances arrive as such, with their fields, and no constructor is called", () => {
  const money = new Money(5n, "EUR")
  const { made } = Money
  const copy = copyOf({ list: [money, money] }) as { list: Money[] }
  assert.equal(Money.made, made)
  assert.ok(copy.list[0] instanceof Money)
  assert.equal(String(copy.list[0]), "5 EUR")
  assert.equal(copy.list[1], copy.list[0])
  money.next = money
  const knot = copyOf(money) as Money
  assert.equal(knot.next, knot)
})

test("[CD17] or by what the class makes of them", () => {
  const warm = Temperature.ofKelvin(300)
  const [first, second] = copyOf([warm, warm]) as Temperature[]
  assert.ok(first instanceof Temperature)
  assert.equal(first.kelvin, 300)
  assert.equal(second, first)

  class Interval {
    readonly #length: number
    readonly from: number

    constructor(from: number, to: number) {
      this.from = from
      this.#length = to - from
    }

    get to(): number {
      return this.from + this.#length
    }
  }
  registerClass(Interval, { name: "test/Interval", decode: (data: { from: number }) => new Interval(data.from, 9) })
  const interval = copyOf(new Interval(1, 2)) as Interval
  assert.deepEqual([interval.from, interval.to], [1, 9])

  class Names extends Set<string> {}
  registerClass(Names, { encode: (names) => [...names], decode: (names: string[]) => new Names(names) })
  assert.deepStrictEqual(copyOf(new Names(["a", "b"])), new Names(["a", "b"]))
})

test("[CD17] a subclass is another class", () => {
  class Tip extends Money {}
  const copy = copyOf(new Tip(1n, "EUR")) as object
  assert.equal(Object.getPrototypeOf(copy), Object.prototype)
})

test("[CD18] errors arrive as errors of their class, or of the nearest one", () => {
  const copy = copyOf(new PaymentError("too dear", new Money(7n, "EUR"))) as PaymentError
  assert.equal(Object.getPrototypeOf(copy), PaymentError.prototype)
  assert.equal(copy.message, "too dear")
  assert.ok(copy.price instanceof Money)
  const nearest = copyOf(new CardError("stolen", new Money(7n, "EUR")))
  assert.equal(Object.getPrototypeOf(nearest), PaymentError.prototype)
})

test("[CD18] a thread that knows nothing of the class gets errors as others, and refuses instances", async () => {
  await using workers = new Workers()
  const run = async (value: unknown): Promise<unknown> => {
    const encoded = encode(value)
    const bytes = Uint8Array.from(encoded.bytes.subarray(0, encoded.length))
    const parcel: Parcel = { kind: encoded.kind, bytes, attachments: [] }
    encoded.release()
    return await workers.run(new URL("classes.workers.js", import.meta.url), "describe", parcel).result
  }
  const error = Object.assign(new CardError("stolen", new Money(7n, "EUR")), { price: 1 })
  assert.deepEqual(await run(error), { type: "TypeError", name: "PaymentError", message: "stolen", price: 1 })
  const { type, message } = (await run([new Money(1n, "EUR")])) as { type: string; message: string }
  assert.equal(type, "NotSerializableError")
  assert.match(message, /instance of Money, which is not registered in this thread/)
})

test("[CD19] a name belongs to one class", () => {
  registerClass(Money) // again: nothing happens
  class Other {
    a = 1
  }
  const taken = thrownBy(() => registerClass(Other, { name: "Money" }))
  assert.ok(taken instanceof IllegalStateError)
  assert.ok(thrownBy(() => registerClass(Other, { name: "TypeError" })) instanceof IllegalStateError)
  assert.ok(thrownBy(() => registerClass({ name: "x", prototype: {} })) instanceof TypeError)
  assert.ok(thrownBy(() => registerClass(Other, { encode: 1 as never })) instanceof TypeError)
  registerClass(Other, { name: "test/First" })
  registerClass(Other, { name: "test/Second" })
  class Third {
    b = 1
  }
  registerClass(Third, { name: "test/First" }) // free again
  assert.ok(copyOf(new Third()) instanceof Third)
  assert.ok(copyOf(new Other()) instanceof Other)
})

test("[CD27] a class without a name is refused, unless it is given one", () => {
  const unnamed = () =>
    class {
      a = 1
    }
  const Unnamed = unnamed()
  for (const register of [
    () => registerClass(Unnamed),
    () => registerClass(Unnamed, { name: "" }),
    () => registerClass(Temperature, { name: "" }),
  ]) {
    assert.throws(register, { name: "TypeError", message: /without a name.*`name`/ })
  }
  registerClass(Unnamed, { name: "Once unnamed" })
  assert.ok(copyOf(new Unnamed()) instanceof Unnamed)
})

test("[CD19] what a class makes of an instance does not refer back to it", () => {
  class Node {
    self: Node = this
  }
  registerClass(Node, { name: "test/Node", encode: ({ self }) => ({ self }) })
  const error = thrownBy(() => copyOf([new Node()]))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /refers to itself/)
})

test("[CD19] what decode throws is the cause", () => {
  const cold = Temperature.ofKelvin(5)
  const encoded = encode([cold])
  encoded.bytes[encoded.length - 1] = 0x80 // it was 5; now it is 0
  assert.equal((decode(encoded) as Temperature[])[0]?.kelvin, 0)
  class Picky {
    n = 1
  }
  const reason = new RangeError("no")
  registerClass(Picky, {
    name: "test/Picky",
    decode: () => {
      throw reason
    },
  })
  const error = thrownBy(() => copyOf(new Picky()))
  assert.ok(error instanceof NotSerializableError)
  assert.equal(error.cause, reason)
})

test("[CD26] a class whose module is evaluated again is registered anew, and instances of both evaluations can be sent", () => {
  const evaluate = (): new (at: number) => { at: number } =>
    class Mark {
      at: number
      constructor(at: number) {
        this.at = at
      }
    }
  const Earlier = evaluate()
  const Later = evaluate()
  registerClass(Earlier, { name: "test/Mark" })
  registerClass(Later, { name: "test/Mark" })
  for (const sent of [new Earlier(1), new Later(1)]) {
    const arrived: unknown = copyOf(sent)
    assert.ok(arrived instanceof Later)
    assert.equal(arrived.at, 1)
  }
  class Another {
    c = 1
  }
  assert.ok(thrownBy(() => registerClass(Another, { name: "test/Mark" })) instanceof IllegalStateError)
  // An earlier one that is given another name does not take the name from the later one.
  registerClass(Earlier, { name: "test/EarlierMark" })
  assert.ok(copyOf(new Later(2)) instanceof Later)
})
