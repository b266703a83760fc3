/**
 * Chrome's trace event format, JSON object form, as strictly as its description and Perfetto's importer take it: what
 * the importer drops, or puts somewhere else without a word, is an error here.
 */
import assert from "node:assert/strict"

interface Event {
  readonly [field: string]: unknown
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly id: number
  readonly args: Readonly<Record<string, unknown>>
}

interface Form {
  readonly required: readonly string[]
  readonly fields: Readonly<Record<string, (value: unknown) => boolean>>
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown): boolean =>
  // Whole nanoseconds that a reader gets exactly, also one that multiplies and cuts off.
  typeof value === "number" && value >= 0 && Number.isInteger(value * 1000) && Math.trunc(value * 1000) === value * 1000
const isArgs = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((item) => typeof item === "string" || Number.isFinite(item))

const PLACE = { ph: isText, name: isText, pid: isCount, tid: (tid: unknown) => isCount(tid) && tid !== 0 }
const TIMED = { ...PLACE, cat: isText, ts: isTime }
const FORMS: Readonly<Record<string, Form>> = {
  M: { required: ["args"], fields: { ...PLACE, args: isArgs } },
  X: { required: ["dur"], fields: { ...TIMED, dur: isTime, args: isArgs } },
  i: { required: ["s"], fields: { ...TIMED, s: (scope) => scope === "t", args: isArgs } },
  C: {
    required: ["args"],
    fields: { ...TIMED, args: (args) => isArgs(args) && Object.values(args as object).every(Number.isFinite) },
  },
  s: { required: ["id"], fields: { ...TIMED, id: isCount } },
  f: { required: ["id", "bp"], fields: { ...TIMED, id: isCount, bp: (bp) => bp === "e" } },
}

/** Throws an AssertionError that names the event, unless the value is a trace that all readers understand alike. */
export function assertTrace(trace: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(trace)), trace, "is plain JSON")
  const { traceEvents, displayTimeUnit, ...rest } = trace as Record<string, unknown>
  assert.equal(displayTimeUnit, "ms")
  assert.deepEqual(Object.keys(rest), ["otherData"])
  const events = traceEvents as Event[]
  for (const event of events) assertForm(event)
  assertNames(events)
  assertOrder(events)
  for (const lane of grouped(slicesOf(events), placeOf).values()) assertNesting(lane)
  assertArrows(events)
}

function assertForm(event: Event): void {
  const text = JSON.stringify(event)
  const form = FORMS[event.ph]
  assert.ok(form, `a kind of event that is known: ${text}`)
  for (const [field, value] of Object.entries(event)) {
    assert.ok(form.fields[field]?.(value) === true, `${field} of ${text}`)
  }
  const required = ["ph", "name", "pid", "tid", ...(event.ph === "M" ? [] : ["ts", "cat"]), ...form.required]
  for (const field of required) assert.ok(field in event, `${field} is missing in ${text}`)
}

/** One process, with a name; a name for each lane that has events, and not two. */
function assertNames(events: readonly Event[]): void {
  const named = (name: string): string[] =>
    events.filter((event) => event.name === name && event.ph === "M").map(placeOf)
  assert.equal(named("process_name").length, 1)
  assert.equal(new Set(events.map(({ pid }) => pid)).size, 1)
  const lanes = named("thread_name")
  assert.equal(new Set(lanes).size, lanes.length)
  assert.deepEqual(named("thread_sort_index"), lanes)
  for (const event of events) assert.ok(lanes.includes(placeOf(event)), `a lane with a name: ${JSON.stringify(event)}`)
}

function assertOrder(events: readonly Event[]): void {
  const timed = events.filter(({ ph }) => ph !== "M")
  assert.equal(events.indexOf(timed[0] as Event), timed.length === 0 ? -1 : events.length - timed.length, "names first")
  timed.reduce((before, { ts }) => {
    assert.ok(ts >= before, "in the order of times")
    return ts
  }, 0)
}

/** Perfetto drops a slice that begins in another one and ends after it. */
function assertNesting(slices: readonly Event[]): void {
  const open: number[] = []
  for (const slice of slices) {
    while (open.length > 0 && (open.at(-1) as number) <= slice.ts) open.pop()
    const end = slice.ts + slice.dur
    assert.ok(end <= (open.at(-1) ?? Infinity), `overlaps: ${JSON.stringify(slice)}`)
    open.push(end)
  }
}

/** Each arrow has two ends, in this order, and both in slices: Perfetto does not draw others. */
function assertArrows(events: readonly Event[]): void {
  const ends = events.filter(({ ph }) => ph === "s" || ph === "f")
  for (const arrow of grouped(ends, ({ id }) => id).values()) {
    assert.deepEqual(
      arrow.map(({ ph }) => ph),
      ["s", "f"],
      JSON.stringify(arrow),
    )
    assert.equal(new Set(arrow.map(({ name, cat }) => `${name} ${String(cat)}`)).size, 1)
    for (const end of arrow) {
      const slice = slicesOf(events).find((it) => placeOf(it) === placeOf(end) && holds(it, end.ts))
      assert.ok(slice, `the end of an arrow is in a slice: ${JSON.stringify(end)}`)
    }
  }
}

function holds({ ts, dur }: Event, time: number): boolean {
  return ts <= time && time <= ts + dur
}

function grouped<K>(events: readonly Event[], keyOf: (event: Event) => K): Map<K, Event[]> {
  const groups = new Map<K, Event[]>()
  for (const event of events) {
    const key = keyOf(event)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [event])
    else group.push(event)
  }
  return groups
}

function slicesOf(events: readonly Event[]): Event[] {
  return events.filter(({ ph }) => ph === "X")
}

function placeOf({ pid, tid }: Event): string {
  return `${pid} ${tid}`
}
