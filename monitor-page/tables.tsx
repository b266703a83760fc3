/** What the page says in tables, which is all that the canvas shows, and more. */
import { type Action, type Block, type Frame, OUTCOMES, type PoolLine } from "#src/monitor/wire.js"
import type { JSX } from "preact"
import { countText, timeText } from "./charts.tsx"
import { clock } from "./lanes-canvas.ts"
import { firstAfter, type Lane, type Model } from "./model.ts"
import { palette } from "./palette.ts"

export type Act = (action: Action) => void

const MOST_TASKS = 60
const MOST_POOLS = 100

export function Pools(props: {
  readonly frame: Frame
  readonly chosen: number | undefined
  readonly choose: (id: number) => void
  readonly act: Act
}): JSX.Element {
  const { frame, chosen, choose, act } = props
  const hasActions = frame.allowActions
  return (
    <table>
      <caption>
        Pools{frame.pools.length > MOST_POOLS ? `, the first ${MOST_POOLS} of ${frame.pools.length}` : ""}
      </caption>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">kind</th>
          <th scope="col">state</th>
          <th scope="col" class="number">
            threads
          </th>
          <th scope="col" class="number">
            active
          </th>
          <th scope="col" class="number">
            queued
          </th>
          <th scope="col" class="number">
            completed
          </th>
          <th scope="col" class="number">
            steals
          </th>
          {hasActions && <th scope="col">actions</th>}
        </tr>
      </thead>
      <tbody>
        {frame.pools.length === 0 && (
          <tr>
            <td colSpan={hasActions ? 9 : 8} class="faint">
              There is no pool.
            </td>
          </tr>
        )}
        {frame.pools.slice(0, MOST_POOLS).map((pool) => (
          <tr key={pool.id} class={pool.id === chosen ? "chosen" : ""}>
            <th scope="row">
              <button type="button" class="link" aria-pressed={pool.id === chosen} onClick={() => choose(pool.id)}>
                {pool.name}
              </button>
            </th>
            <td>{pool.kind}</td>
            <td>{pool.state}</td>
            <td class="number">{`${pool.threads} of ${pool.core}${limitText(pool)}`}</td>
            <td class="number">{pool.active}</td>
            <td class="number">
              {pool.remaining === undefined
                ? countText(pool.queued)
                : `${countText(pool.queued)} of ${countText(pool.queued + pool.remaining)}`}
            </td>
            <td class="number">{pool.kind === "fork/join" ? "–" : pool.completed.toLocaleString("en")}</td>
            <td class="number">{pool.steals?.toLocaleString("en") ?? "–"}</td>
            {hasActions && (
              <td>
                <PoolButtons pool={pool} act={act} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function limitText({ core, maximum, kind }: PoolLine): string {
  if (kind === "fork/join") return ""
  return maximum === undefined ? " to ∞" : maximum === core ? "" : ` to ${maximum}`
}

function PoolButtons({ pool, act }: { readonly pool: PoolLine; readonly act: Act }): JSX.Element {
  const { id, actions, core, name } = pool
  return (
    <span class="buttons">
      {actions.includes("resize") && (
        <>
          <button
            type="button"
            aria-label={`One thread less for ${name}`}
            disabled={core <= 1}
            onClick={() => act({ action: "resize", id, size: core - 1 })}
          >
            −
          </button>
          <button
            type="button"
            aria-label={`One thread more for ${name}`}
            onClick={() => act({ action: "resize", id, size: core + 1 })}
          >
            +
          </button>
        </>
      )}
      {actions.includes("pause") && (
        <button type="button" aria-label={`Pause ${name}`} onClick={() => act({ action: "pause", id })}>
          Pause
        </button>
      )}
      {actions.includes("resume") && (
        <button type="button" aria-label={`Resume ${name}`} onClick={() => act({ action: "resume", id })}>
          Resume
        </button>
      )}
      {actions.includes("shutdown") && (
        <button
          type="button"
          onClick={() => {
            if (confirm(`Shut down ${name}? It takes no more tasks, and ends when those it has are over.`))
              act({ action: "shutdown", id })
          }}
        >
          Shut down
        </button>
      )}
    </span>
  )
}

export function Threads(props: {
  readonly model: Model
  readonly lanes: readonly Lane[]
  /** Undefined if the page may not change anything. */
  readonly act: Act | undefined
}): JSX.Element {
  const { model, lanes, act } = props
  const now = model.latest?.time ?? 0
  return (
    <table>
      <caption>Threads, in the last ten seconds</caption>
      <thead>
        <tr>
          <th scope="col">thread</th>
          <th scope="col">pool</th>
          <th scope="col">runs now</th>
          <th scope="col" class="number">
            busy
          </th>
          <th scope="col" class="number">
            waits
          </th>
          <th scope="col" class="number">
            tasks
          </th>
          <th scope="col" class="number">
            failed
          </th>
          <th scope="col" class="number">
            steals
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map((lane) => {
          const { busy, blocked, tasks, failed, steals } = lately(lane, now)
          const { line } = lane
          const running = lane.open.at(-1)
          return (
            <tr key={line.id}>
              <th scope="row" class="short" title={line.thread}>
                {line.thread}
              </th>
              <td class="short" title={line.pool}>
                {line.pool}
              </td>
              <td>
                {doingText(model, lane, now)}
                {act !== undefined && running !== undefined && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Cancel ${nameText(model.names[running[1]])} in ${line.thread}`}
                    onClick={() => act({ action: "cancel", task: running[3] })}
                  >
                    Cancel
                  </button>
                )}
              </td>
              <td class="number">{percent(busy)}</td>
              <td class="number">{percent(blocked)}</td>
              <td class="number">{tasks.toLocaleString("en")}</td>
              <td class={failed > 0 ? "number bad" : "number"}>{failed}</td>
              <td class="number">{steals}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function doingText(model: Model, { open, openWaits, ended, marks }: Lane, now: number): string {
  const running = open.at(-1)
  if (running === undefined) {
    if (ended === Infinity) return "idle"
    return marks.some(([, kind]) => kind === "died") ? "has died" : "has ended"
  }
  const wait = openWaits.at(-1)
  const text = `${nameText(model.names[running[1]])}, for ${timeText(Math.max(0, now - running[2]))}`
  return wait === undefined ? text : `${text}; waits: ${wait[1]}, for ${timeText(Math.max(0, now - wait[2]))}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

interface Lately {
  readonly busy: number
  readonly blocked: number
  readonly tasks: number
  readonly failed: number
  readonly steals: number
}

function lately(lane: Lane, now: number): Lately {
  const from = now - 10_000
  let [busy, blocked, tasks, failed] = [0, 0, 0, 0]
  for (let at = firstAfter(lane.blocks, (block) => block[2] + block[3], from); at < lane.blocks.length; at++) {
    const [, , start, duration, , , outcome, count, depth, time] = lane.blocks[at] as Block
    // What ran inside of another task is part of it.
    if (depth === 0) busy += start >= from || duration === 0 ? time : (time * (start + duration - from)) / duration
    tasks += count
    if (outcome === 2 || outcome === 4) failed++
  }
  for (const [, , start, , depth] of lane.open) if (depth === 0) busy += Math.max(0, now - Math.max(start, from))
  for (let at = firstAfter(lane.waits, (wait) => wait[2] + wait[3], from); at < lane.waits.length; at++) {
    const [, , start, duration] = lane.waits[at] as Lane["waits"][number]
    blocked += start + duration - Math.max(start, from)
  }
  const [wait] = lane.openWaits
  if (wait !== undefined) blocked += Math.max(0, now - Math.max(wait[2], from))
  const steals = lane.marks.filter(([, kind, time]) => kind === "stole" && time >= from).length
  return { busy: Math.min(1, busy / 10_000), blocked: Math.min(1, blocked / 10_000), tasks, failed, steals }
}

export function Tasks(props: {
  readonly model: Model
  readonly lanes: readonly Lane[]
  readonly matches: (name: string) => boolean
  readonly selected: Block | undefined
  readonly select: (block: Block) => void
}): JSX.Element {
  const { model, lanes, matches, selected, select } = props
  const found = lanes.flatMap(({ blocks }) =>
    blocks.slice(-200).filter((block) => matches(model.names[block[1]] ?? "")),
  )
  found.sort((a, b) => b[2] - a[2])
  return (
    <table>
      <caption>Tasks, the latest first</caption>
      <thead>
        <tr>
          <th scope="col">function</th>
          <th scope="col">began</th>
          <th scope="col" class="number">
            ran
          </th>
          <th scope="col" class="number">
            waited
          </th>
          <th scope="col">outcome</th>
          <th scope="col">thread</th>
        </tr>
      </thead>
      <tbody>
        {found.slice(0, MOST_TASKS).map((block) => {
          const [lane, name, start, duration, wait, task, outcome, count] = block
          const title = nameText(model.names[name])
          return (
            <tr key={`${lane} ${start} ${task}`} class={block === selected ? "chosen" : ""}>
              <th scope="row" class="short" title={title}>
                <button type="button" class="link" onClick={() => select(block)}>
                  <Swatch name={model.names[name] ?? ""} />
                  {count > 1 ? `${title} × ${count}` : title}
                </button>
              </th>
              <td class="time">{clock(start, 1)}</td>
              <td class="number">{timeText(duration)}</td>
              <td class="number">{wait < 0 ? "–" : timeText(wait)}</td>
              <td class={outcome === 2 || outcome === 4 ? "bad" : ""}>{OUTCOMES[outcome]}</td>
              <td class="short">{model.lanes.get(lane)?.line.thread}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

export function Details(props: {
  readonly model: Model
  readonly block: Block
  readonly close: () => void
}): JSX.Element {
  const { model, block, close } = props
  const [lane, name, start, duration, wait, task, outcome, count, , busy] = block
  const line = model.lanes.get(lane)?.line
  const facts: readonly (readonly [string, string])[] = [
    ["function", nameText(model.names[name])],
    ["pool", line?.pool ?? ""],
    ["thread", line?.thread ?? ""],
    ["began", clock(start, 1)],
    [count > 1 ? "from the first to the last" : "ran", timeText(duration)],
    ["waited", wait < 0 ? "unknown" : timeText(wait)],
    ...(count > 1 ? [["busy", timeText(busy)] as const] : []),
    ["outcome", count > 1 ? `${OUTCOMES[outcome]} (the worst of them)` : (OUTCOMES[outcome] ?? "")],
    count > 1 ? ["stands for", `${count} tasks; the longest is named`] : ["number", `${task}`],
  ]
  return (
    <section class="details" aria-label="The chosen task">
      <dl>
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close} aria-label="Close the details">
        ×
      </button>
    </section>
  )
}

/** The colour of a function. */
export function Swatch({ name }: { readonly name: string }): JSX.Element {
  return <i class="swatch" style={{ background: `var(--task-${palette.indexOf(name)})` }} />
}

export function nameText(name: string | undefined): string {
  return name === undefined || name === "" ? "(no name)" : name
}
