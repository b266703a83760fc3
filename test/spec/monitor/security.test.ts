/** Which requests the monitor refuses: docs/spec/monitor.md. */
import { Executors, ThreadPoolExecutor, virtualThreads } from "corepool"
import { startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import { ask, type Frame, snapshot } from "./support/client.js"

const ROUTES = ["/snapshot", "/stream", "/action", "/anything"]

test("[MO7] without the token there is only the page, which has no data", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using monitor = await startMonitor({ pools: { "a secret name": pool } })
  const { port, token } = monitor
  const wrong: Record<string, string>[] = [
    {},
    { authorization: "" },
    { authorization: `Bearer ${token.slice(1)}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Basic ${token}` },
    { authorization: token },
    { cookie: `token=${token}; corepool=${token}` },
  ]
  for (const path of ROUTES) {
    for (const headers of wrong) assert.equal((await ask(port, path, headers)).status, 401, JSON.stringify(headers))
    assert.equal((await ask(port, `${path}?token=${token}`)).status, 401)
  }
  const page = await ask(port, "/")
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.body, /a secret name/)
  assert.ok(!page.body.includes(token))
  assert.equal((await ask(port, "/snapshot", { authorization: `Bearer ${token}` })).status, 200)
})

test("[MO7] each monitor has a token of 128 random bits, or that of the program", async () => {
  const tokens = new Set<string>()
  for (let i = 0; i < 20; i++) {
    await using monitor = await startMonitor()
    assert.equal(Buffer.from(monitor.token, "base64url").length, 16)
    tokens.add(monitor.token)
  }
  assert.equal(tokens.size, 20)
  await using own = await startMonitor({ token: "0123456789abcdef" })
  assert.equal((await ask(own.port, "/snapshot", { authorization: "Bearer 0123456789abcdef" })).status, 200)
})

test("[MO8] the token is in the part of the address that browsers do not send, and there are no referrers", async () => {
  await using monitor = await startMonitor()
  const { hash, search, pathname } = new URL(monitor.url)
  assert.deepEqual([hash, search, pathname], [`#token=${monitor.token}`, "", "/"])
  for (const path of ["/", ...ROUTES]) {
    assert.equal((await ask(monitor.port, path)).headers["referrer-policy"], "no-referrer")
  }
})

test("[MO9] a foreign Host is refused, with the token and without", async () => {
  await using monitor = await startMonitor()
  const { port, token } = monitor
  const authorization = `Bearer ${token}`
  const foreign = [
    `evil.example:${port}`,
    `evil.example`,
    `127.0.0.1`,
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `evil.example#127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.example`,
    `10.0.0.1:${port}`,
  ]
  for (const host of foreign) {
    for (const path of ["/", ...ROUTES])
      assert.equal((await ask(port, path, { host, authorization })).status, 403, host)
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
    assert.equal((await ask(port, "/snapshot", { host, authorization })).status, 200, host)
  }
})

test("[MO9] [MO1] on all addresses of the machine, addresses are accepted, and names are not", async () => {
  await using monitor = await startMonitor({ host: "0.0.0.0" })
  const { port, token } = monitor
  assert.match(monitor.url, /^http:\/\/127\.0\.0\.1:/)
  const authorization = `Bearer ${token}`
  const status = async (host: string): Promise<number> => (await ask(port, "/snapshot", { host, authorization })).status
  assert.equal(await status(`10.1.2.3:${port}`), 200)
  assert.equal(await status(`evil.example:${port}`), 403)
  assert.equal(await status(`10.1.2.3.evil.example:${port}`), 403)
})

test("[MO10] requests of other sites are refused, and no response is for them", async () => {
  await using monitor = await startMonitor({ allowActions: true })
  const { port, token } = monitor
  const own = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` }
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: `https://127.0.0.1:${port}` },
    { origin: `http://localhost:${port}` },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]
  for (const headers of foreign) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const { status, headers: sent } = await ask(port, "/snapshot", { ...own, ...headers }, method)
      assert.equal(status, 403, JSON.stringify(headers))
      assert.equal(sent["access-control-allow-origin"], undefined)
    }
  }
  const same = { ...own, origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" }
  const { status, headers } = await ask(port, "/snapshot", same)
  assert.equal(status, 200)
  assert.equal(headers["access-control-allow-origin"], undefined)
  assert.equal(headers["cross-origin-resource-policy"], "same-origin")
})

test("[MO11] the policy of the page allows its own script and style and nothing else", async () => {
  await using monitor = await startMonitor()
  const { headers, body } = await ask(monitor.port, "/")
  const policy = new Map(
    String(headers["content-security-policy"])
      .split("; ")
      .map((part): [string, string] => [part.slice(0, part.indexOf(" ")), part.slice(part.indexOf(" ") + 1)]),
  )
  const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
  assert.deepEqual(Object.fromEntries(policy), {
    "default-src": "'none'",
    "script-src": hash(/<script>(.*?)<\/script>/s.exec(body)?.[1]),
    "style-src": hash(/<style>(.*?)<\/style>/s.exec(body)?.[1]),
    "connect-src": "'self'",
    "img-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
  })
  assert.equal(headers["x-content-type-options"], "nosniff")
  assert.equal(headers["x-frame-options"], "DENY")
  assert.equal(headers["cache-control"], "no-store")
  assert.doesNotMatch(body, /<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)/)
})

test("[MO12] data is sent as JSON, never as a page", async () => {
  const hostile = `</script><script>alert(1)</script>`
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using monitor = await startMonitor({ pools: { [hostile]: pool } })
  const { headers, body } = await ask(monitor.port, "/snapshot", { authorization: `Bearer ${monitor.token}` })
  assert.equal(headers["content-type"], "application/json")
  assert.equal((JSON.parse(body) as Frame).pools[0]?.name, hostile)
})

test("[MO13] no arguments, results or errors are told", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await using monitor = await startMonitor()
  await pool.submit((text: string) => `${text} result-8d1`, "argument-7c2")
  await pool
    .submit(() => {
      throw new Error("error-9e3")
    })
    .catch(() => undefined)
  assert.doesNotMatch(JSON.stringify(await snapshot(monitor)), /argument-7c2|result-8d1|error-9e3/)
})

const JSON_TYPE = { "content-type": "application/json" }

test("[MO13] actions are refused unless they are allowed", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using monitor = await startMonitor({ pools: { pool } })
  const { port, token } = monitor
  const { pools } = await snapshot(monitor)
  const action = JSON.stringify({ action: "shutdown", id: pools[0]?.id })
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE }
  assert.equal((await ask(port, "/action", headers, "POST", action)).status, 403)
  assert.equal(pool.isShutdown, false)
})

test("[MO13] the allowed actions, and no others", async () => {
  await using pool = new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: virtualThreads() })
  await using clock = Executors.newScheduledThreadPool(1, virtualThreads())
  const tick = clock.scheduleAtFixedRate(() => undefined, 60_000, 60_000)
  await using monitor = await startMonitor({ pools: { pool, clock }, allowActions: true })
  const { port, token } = monitor
  const frame = await snapshot(monitor)
  const id = frame.pools[0]?.id
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE }
  const act = async (body: unknown): Promise<number> =>
    (await ask(port, "/action", headers, "POST", typeof body === "string" ? body : JSON.stringify(body))).status
  assert.equal(await act({ action: "resize", id, size: 5 }), 200)
  assert.deepEqual([pool.corePoolSize, pool.maximumPoolSize], [5, 5])
  assert.equal(await act({ action: "resize", id, size: 1 }), 200)
  assert.deepEqual([pool.corePoolSize, pool.maximumPoolSize], [1, 1])
  assert.equal(await act({ action: "pause", id }), 200)
  assert.equal(pool.isPaused, true)
  assert.equal((await snapshot(monitor)).pools[0]?.state, "paused")
  assert.equal(await act({ action: "resume", id }), 200)
  assert.equal(pool.isPaused, false)
  assert.equal(await act({ action: "cancel", id: frame.schedules[0]?.id }), 200)
  assert.equal(tick.isCancelled, true)
  const refused = [
    { action: "resize", id, size: 0 },
    { action: "resize", id, size: 1e9 },
    { action: "resize", id, size: "5" },
    { action: "constructor", id },
    { action: "shutdownNow", id },
    { action: "cancel", id },
    { action: "shutdown", id: 99_999 },
    { action: "shutdown" },
    null,
    "no JSON",
    "x".repeat(100_000),
  ]
  for (const body of refused) assert.equal(await act(body), 400, JSON.stringify(body)?.slice(0, 80))
  assert.deepEqual([pool.corePoolSize, pool.isShutdown], [1, false])
  const asText = await ask(port, "/action", { ...headers, "content-type": "text/plain" }, "POST", "{}")
  assert.equal(asText.status, 415)
  for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "GET"]) {
    assert.equal((await ask(port, "/action", headers, method)).status, 404, method)
  }
  for (const path of ["/../package.json", "//", "/snapshot/", "/%2e%2e/x", "/index.html"]) {
    assert.equal((await ask(port, path, headers)).status, 404, path)
  }
  assert.equal(await act({ action: "shutdown", id }), 200)
  assert.equal(pool.isShutdown, true)
})
