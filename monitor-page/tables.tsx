/** What the page says in tables, which is all that the canvas shows, and more. */
import { type Action, type Block, type Frame, OUTCOMES, type PoolLine } from "#src/monitor/wire.js"
import type { JSX } from "preact"
import { countText, timeText } from "./charts.tsx"
import { clock, paletteIndex } from "./lanes-canvas.ts"
import { firstAfter, type Lane, type Model } from "./model.ts"

export type Act = (action: Action) => void

const MOST_TASKS = 60

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
      <caption>Pools</caption>
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
        {frame.pools.map((pool) => (
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

function limitText({ core, maximum }: PoolLine): string {
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
        <>
          <button type="button" onClick={() => act({ action: "pause", id })}>
            Pause
          </button>
          <button type="button" onClick={() => act({ action: "resume", id })}>
            Resume
          </button>
        </>
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

export function Threads({ model, lanes }: { readonly model: Model; readonly lanes: readonly Lane[] }): JSX.Element {
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
          const { busy, tasks, failed, steals } = lately(lane, now)
          const { open, line, ended } = lane
          const end =
            ended < Infinity ? (lane.marks.some(([, kind]) => kind === "died") ? "has died" : "has ended") : "idle"
          return (
            <tr key={line.id}>
              <th scope="row">{line.thread}</th>
              <td>{line.pool}</td>
              <td>
                {open === undefined
                  ? end
                  : `${nameText(model.names[open[1]])}, for ${timeText(Math.max(0, now - open[2]))}`}
              </td>
              <td class="number">{`${Math.round(busy * 100)} %`}</td>
              <td class="number">{tasks.toLocaleString("en")}</td>
              <td class="number">{failed}</td>
              <td class="number">{steals}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function lately(lane: Lane, now: number): { busy: number; tasks: number; failed: number; steals: number } {
  const from = now - 10_000
  let [busy, tasks, failed] = [0, 0, 0]
  for (let at = firstAfter(lane.blocks, (block) => block[2] + block[3], from); at < lane.blocks.length; at++) {
    const [, , start, duration, , , outcome, count] = lane.blocks[at] as Block
    busy += start + duration - Math.max(start, from)
    tasks += count
    if (outcome === 2 || outcome === 4) failed++
  }
  if (lane.open !== undefined) busy += Math.max(0, now - Math.max(lane.open[2], from))
  const steals = lane.marks.filter(([, kind, time]) => kind === "stole" && time >= from).length
  return { busy: Math.min(1, busy / 10_000), tasks, failed, steals }
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
              <th scope="row">
                <button type="button" class="link" onClick={() => select(block)}>
                  <i class={`swatch task-${paletteIndex(model.names[name] ?? "")}`} />
                  {count > 1 ? `${title} × ${count}` : title}
                </button>
              </th>
              <td>{clock(start, 1)}</td>
              <td class="number">{timeText(duration)}</td>
              <td class="number">{wait < 0 ? "–" : timeText(wait)}</td>
              <td class={outcome === 2 || outcome === 4 ? "bad" : ""}>{OUTCOMES[outcome]}</td>
              <td>{model.lanes.get(lane)?.line.thread}</td>
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
  const [lane, name, start, duration, wait, task, outcome, count] = block
  const line = model.lanes.get(lane)?.line
  const facts: readonly (readonly [string, string])[] = [
    ["function", nameText(model.names[name])],
    ["pool", line?.pool ?? ""],
    ["thread", line?.thread ?? ""],
    ["began", clock(start, 1)],
    [count > 1 ? "from the first to the last" : "ran", timeText(duration)],
    ["waited", wait < 0 ? "unknown" : timeText(wait)],
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

export function Schedules({ frame, act }: { readonly frame: Frame; readonly act: Act }): JSX.Element | null {
  if (frame.schedules.length === 0) return null
  return (
    <table>
      <caption>Schedules{frame.moreSchedules > 0 ? `, and ${frame.moreSchedules} more` : ""}</caption>
      <thead>
        <tr>
          <th scope="col">function</th>
          <th scope="col">pool</th>
          <th scope="col">repeats</th>
          <th scope="col">next run</th>
          {frame.allowActions && <th scope="col">actions</th>}
        </tr>
      </thead>
      <tbody>
        {frame.schedules.map(({ id, name, pool, isPeriodic, next }) => (
          <tr key={id}>
            <th scope="row">{nameText(name)}</th>
            <td>{pool}</td>
            <td>{isPeriodic ? "yes" : "no"}</td>
            <td>
              {next === undefined ? "unknown" : `${clock(next, 1000)}, in ${timeText(Math.max(0, next - frame.time))}`}
            </td>
            {frame.allowActions && (
              <td>
                <button
                  type="button"
                  onClick={() => act({ action: "cancel", id })}
                  aria-label={`Cancel ${nameText(name)}`}
                >
                  Cancel
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function Locks({ frame }: { readonly frame: Frame }): JSX.Element | null {
  if (frame.locks.length === 0) return null
  return (
    <table>
      <caption>Locks that the program has named</caption>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">state</th>
          <th scope="col">who waits</th>
        </tr>
      </thead>
      <tbody>
        {frame.locks.map(({ name, holder, waiting, waitingCount }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{holder}</td>
            <td>
              {waitingCount === 0 ? "no thread" : waiting.join(", ")}
              {waitingCount > waiting.length ? ` and ${waitingCount - waiting.length} more` : ""}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function nameText(name: string | undefined): string {
  return name === undefined || name === "" ? "(no name)" : name
}
