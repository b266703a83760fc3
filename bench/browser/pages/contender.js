/**
 * What the page of a contender does: it takes a turn whenever the benchmark says so, and tells how long that took. A
 * contender has `add(a, b)` and `echo(bytes)`, which come back as promises from a pool of two workers, and `move(bytes)`
 * if it can hand a buffer over.
 */
const MB = 1 << 20

/** By the names of the bouts in ../contest.ts. */
const WORK = {
  async burst({ add }, n) {
    const results = await Promise.all(Array.from({ length: n }, (_, i) => add(i, 1)))
    for (let i = 0; i < n; i++) requireEqual(results[i], i + 1)
  },
  async roundTrip({ add }, n) {
    for (let i = 0; i < n; i++) requireEqual(await add(i, 1), i + 1)
  },
  async copied({ echo }, n) {
    for (let i = 0; i < n; i++) requireBytes(await echo(bytesOf(i)), i)
  },
  async moved({ move }, n) {
    for (let i = 0; i < n; i++) requireBytes(await move(bytesOf(i)), i)
  },
}

function bytesOf(i) {
  const bytes = new Uint8Array(MB)
  bytes[0] = bytes[MB - 1] = i
  return bytes
}

function requireBytes(bytes, i) {
  requireEqual(bytes.length, MB)
  requireEqual(bytes[0], i & 255)
  requireEqual(bytes[MB - 1], i & 255)
}

function requireEqual(actual, expected) {
  if (actual !== expected) throw new Error(`Expected ${expected}, got ${actual}`)
}

/** The server answers when it is the turn of this page again. */
async function nextTurn(said) {
  const answer = await fetch(`/turn${location.search}`, { method: "POST", body: JSON.stringify(said) })
  return await answer.json()
}

async function take(contender, { bout, n }) {
  try {
    const start = performance.now()
    await WORK[bout](contender, n)
    return { wall: performance.now() - start }
  } catch (error) {
    return { failure: String(error) }
  }
}

export async function takeTurns(contender) {
  let said = {}
  for (;;) said = await take(contender, await nextTurn(said))
}
