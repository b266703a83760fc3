/** Any sequence of calls, beside parties that are counted by hand. */
import { Phaser } from "#src/sync/index.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { countsOf } from "./phaser-support.ts"

interface Party {
  hasArrived: boolean
}

/** What is known of a phaser without looking at it: the parties that were registered with it, one by one. */
class Node {
  readonly phaser: Phaser
  readonly children: Node[] = []
  parties: Party[] = []

  constructor(phaser: Phaser, parties: number) {
    this.phaser = phaser
    this.add(parties)
  }

  add(count: number): void {
    for (let left = count; left > 0; left--) this.parties.push({ hasArrived: false })
  }

  get missing(): Party[] {
    return this.parties.filter(({ hasArrived }) => !hasArrived)
  }

  get hasParties(): boolean {
    return this.parties.length > 0 || this.children.some((child) => child.hasParties)
  }

  /** Whether all have arrived, here and below. */
  get isComplete(): boolean {
    return this.missing.length === 0 && this.children.every((child) => child.isComplete)
  }

  get unarrived(): number {
    return this.missing.length + this.children.filter((child) => !child.isComplete).length
  }

  renew(): void {
    for (const party of this.parties) party.hasArrived = false
    for (const child of this.children) child.renew()
  }
}

class Tree {
  readonly root: Node
  readonly nodes: Node[]
  phase = 0
  isTerminated = false

  constructor(parties: number) {
    this.root = new Node(new Phaser(parties), parties)
    this.nodes = [this.root]
  }

  /** What calls return. */
  get told(): number {
    return this.isTerminated ? this.phase - 2 ** 31 : this.phase
  }

  add(parent: Node, parties: number): void {
    const child = new Node(new Phaser(parent.phaser, parties), this.isTerminated ? 0 : parties)
    parent.children.push(child)
    this.nodes.push(child)
  }

  register(node: Node, parties: number): void {
    assert.equal(node.phaser.bulkRegister(parties), this.told)
    if (!this.isTerminated) node.add(parties)
  }

  arrive(node: Node, leaves: boolean): void {
    const call = (): number => (leaves ? node.phaser.arriveAndDeregister() : node.phaser.arrive())
    const [party] = node.missing
    if (this.isTerminated) assert.equal(call(), this.told)
    else if (party !== undefined) {
      assert.equal(call(), this.phase)
      party.hasArrived = true
      if (leaves) node.parties = node.parties.filter((each) => each !== party)
      if (this.root.isComplete) this.#advance()
    } else if (node.unarrived === 0) assert.throws(call, { name: "IllegalStateError" })
    // Otherwise it would arrive for a child, which then has nobody to arrive for.
  }

  terminate(node: Node): void {
    node.phaser.forceTermination()
    this.isTerminated = true
  }

  #advance(): void {
    this.phase++
    this.root.renew()
    if (!this.root.hasParties) this.isTerminated = true
  }

  check(): void {
    for (const { phaser, children, parties, unarrived } of this.nodes) {
      const counts = countsOf(phaser)
      assert.equal(counts.phase, this.told)
      if (this.isTerminated) continue
      assert.equal(counts.unarrived, unarrived)
      assert.equal(counts.arrived + counts.unarrived, counts.registered)
      if (children.length === 0) assert.equal(counts.registered, parties.length)
    }
  }
}

type Step = (tree: Tree) => void

/** The number picks a phaser of the tree. */
const which = fc.nat(20)
const at = (tree: Tree, index: number): Node => tree.nodes[index % tree.nodes.length] as Node

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: which.map(
      (index): Step =>
        (tree) =>
          tree.arrive(at(tree, index), false),
    ),
  },
  {
    weight: 4,
    arbitrary: which.map(
      (index): Step =>
        (tree) =>
          tree.arrive(at(tree, index), true),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(which, fc.nat(3)).map(([index, parties]): Step => {
      return (tree) => tree.register(at(tree, index), parties)
    }),
  },
)

const branch: fc.Arbitrary<Step> = fc.tuple(which, fc.nat(2)).map(
  ([index, parties]): Step =>
    (tree) =>
      tree.add(at(tree, index), parties),
)

const end: fc.Arbitrary<Step> = which.map(
  (index): Step =>
    (tree) =>
      tree.terminate(at(tree, index)),
)

function check(steps: fc.Arbitrary<Step>): void {
  fc.assert(
    fc.property(fc.nat(3), fc.array(steps, { maxLength: 80, size: "max" }), (parties, sequence) => {
      const tree = new Tree(parties)
      for (const take of sequence) {
        take(tree)
        tree.check()
      }
    }),
    { numRuns: 400 },
  )
}

test("[PH11] registrations and arrivals at one phaser have the results of a count by hand", () => {
  check(fc.oneof({ weight: 40, arbitrary: step }, { weight: 1, arbitrary: end }))
})

test("[PH11][PH31][PH32][PH33][PH35] and so have those at the phasers of a tree", () => {
  check(fc.oneof({ weight: 40, arbitrary: step }, { weight: 5, arbitrary: branch }, { weight: 1, arbitrary: end }))
})
