/** The page of `corepool/monitor`. Texts of the program are shown as texts: preact makes no elements of them. */
import type { Block, Frame } from "#src/monitor/wire.js"
import { type JSX, render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Charts } from "./charts.tsx"
import { follow, request, type Status, takeToken } from "./connection.ts"
import { download, pageOf, traceOf } from "./exports.ts"
import { Lanes } from "./lanes.tsx"
import { Model, type Saved } from "./model.ts"
import { Locks, Nodes, Schedules } from "./more-tables.tsx"
import { Details, Pools, Swatch, Tasks, Threads } from "./tables.tsx"

const recorded = document.getElementById("recorded")?.textContent
const model = recorded === undefined || recorded === null ? new Model() : Model.restore(JSON.parse(recorded) as Saved)
const token = recorded === undefined || recorded === null ? takeToken() : ""

/** How many lanes the page shows. */
const MOST_LANES = 64
/** How many functions the legend of the lanes has. */
const MOST_NAMES = 12

const STATUS: Readonly<Record<Status | "recorded", string>> = {
  connecting: "connecting …",
  live: "live",
  lost: "The connection is lost; trying again …",
  refused: "The monitor refuses this token. Open the address that it has printed.",
  recorded: "a recording",
}

function App(): JSX.Element {
  const [status, setStatus] = useState<Status | "recorded">(
    token === "" && model.latest !== undefined ? "recorded" : "connecting",
  )
  const [frame, setFrame] = useState<Frame | undefined>(model.latest)
  const [revision, setRevision] = useState(0)
  const [paused, setPaused] = useState(false)
  const [filter, setFilter] = useState("")
  const [pool, setPool] = useState<number | undefined>(undefined)
  const [only, setOnly] = useState("")
  const [span, setSpan] = useState(10_000)
  const [selected, setSelected] = useState<Block | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)

  useEffect(() => {
    if (recorded !== undefined && recorded !== null) {
      setRevision(1)
      return
    }
    void follow(
      token,
      (next) => {
        model.add(next)
        setFrame(next)
        setRevision((n) => n + 1)
      },
      setStatus,
    )
  }, [])

  const act = (action: Parameters<typeof request>[1]): void => {
    void request(token, action).then(setProblem)
  }
  if (frame === undefined) {
    return (
      <main>
        <h1>corepool monitor</h1>
        <p role="status">{STATUS[status]}</p>
      </main>
    )
  }
  const wanted = filter.trim().toLowerCase()
  const matches = (name: string): boolean => wanted === "" || name.toLowerCase().includes(wanted)
  // Of threads that have ended, while they can be seen.
  const known = model.lanesSince(paused || status === "recorded" ? 0 : frame.time - Math.max(span, 10_000))
  const mine = known.filter(({ line }) => only === "" || line.pool === only)
  const lanes = mine.slice(0, MOST_LANES)
  const hidden = mine.length - lanes.length + frame.lanes.moreThreads
  const chosen = frame.pools.find(({ id }) => id === pool) ?? busiest(frame)
  const { program, lanes: news } = frame
  return (
    <>
      <header>
        <h1>corepool</h1>
        <span class="facts">
          <b>{program.name}</b> process {program.pid}, {program.runtime}, {program.processors} processors,{" "}
          {Math.round(program.memory / 2 ** 20)} MB
        </span>
        <span class={`status ${status}`} role="status">
          {STATUS[status]}
        </span>
        <span class="buttons">
          <button type="button" onClick={() => save("json")}>
            Save as trace
          </button>
          {status !== "recorded" && (
            <button type="button" onClick={() => save("html")}>
              Save as page
            </button>
          )}
        </span>
      </header>
      <main>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <section aria-label="Pools">
          <div class="scroll" role="region" aria-label="Table of pools" tabIndex={0}>
            <Pools frame={frame} chosen={chosen?.id} choose={setPool} act={act} />
          </div>
        </section>
        {chosen !== undefined && (
          <section aria-labelledby="chart-title">
            <h2 id="chart-title">{chosen.name}</h2>
            <Charts key={chosen.id} samples={model.samples.get(chosen.id) ?? []} revision={revision} />
          </section>
        )}
        <section aria-labelledby="lanes-title">
          <div class="title">
            <h2 id="lanes-title">Threads</h2>
            <label>
              Function{" "}
              <input
                type="search"
                value={filter}
                onInput={(event) => setFilter(event.currentTarget.value)}
                placeholder="part of its name"
              />
            </label>
            <label>
              Pool{" "}
              <select value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
                <option value="">all</option>
                {[...new Set(known.map(({ line }) => line.pool))].map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            {model.sampled.time > frame.time - span && (
              <span class="note">
                Sampled: a block stands for all tasks that a thread began within {model.sampled.grain} ms
              </span>
            )}
            {hidden > 0 && <span class="note">{hidden.toLocaleString("en")} more threads are not shown</span>}
            {model.dropped > 0 && <span class="note">{model.dropped.toLocaleString("en")} events were lost</span>}
          </div>
          {lanes.length > 0 ? (
            <Lanes
              model={model}
              lanes={lanes}
              matches={matches}
              filter={wanted}
              span={span}
              setSpan={setSpan}
              selected={selected}
              select={setSelected}
              isPaused={paused}
              pause={setPaused}
              isLive={status === "live"}
            />
          ) : (
            <p class="empty">
              {news.isLive
                ? "No thread has begun or ended a task since this page was opened."
                : "This process tells nothing about single tasks."}
            </p>
          )}
          <Functions names={model.names} />
          <p class="faint">
            A red edge: the task has failed. A yellow edge: it was cancelled. ✕ the thread has died. ▲ the thread has
            stolen a task. Stripes: the thread waits, for a lock or the like. The empty parts of a lane are idle times.
          </p>
          {selected !== undefined && <Details model={model} block={selected} close={() => setSelected(undefined)} />}
        </section>
        <div class="columns">
          <section class="scroll" aria-label="Table of threads" tabIndex={0}>
            <Threads model={model} lanes={lanes} act={frame.allowActions ? act : undefined} />
          </section>
          <section class="scroll" aria-label="Table of tasks" tabIndex={0}>
            <Tasks model={model} lanes={lanes} matches={matches} selected={selected} select={setSelected} />
          </section>
        </div>
        {frame.fleets.map((fleet) => (
          <section key={fleet.name} class="scroll" aria-label={`Nodes of ${fleet.name}`} tabIndex={0}>
            <Nodes fleet={fleet} />
          </section>
        ))}
        {frame.schedules.length > 0 && (
          <section class="scroll" aria-label="Table of schedules" tabIndex={0}>
            <Schedules frame={frame} act={act} />
          </section>
        )}
        {frame.locks.length > 0 && (
          <section class="scroll" aria-label="Table of locks" tabIndex={0}>
            <Locks frame={frame} />
          </section>
        )}
      </main>
    </>
  )
}

/** Which colour is which function. Two functions may have the same; the tables tell them apart. */
function Functions({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <div class="functions">
      {names.slice(0, MOST_NAMES).map((name) => (
        <span key={name}>
          <Swatch name={name} />
          {name === "" ? "(no name)" : name}
        </span>
      ))}
      {names.length > MOST_NAMES && <span class="faint">and {names.length - MOST_NAMES} more</span>}
    </div>
  )
}

/** The pool whose charts are shown until the user has chosen one. */
function busiest({ pools }: Frame): Frame["pools"][number] | undefined {
  return pools.reduce<Frame["pools"][number] | undefined>(
    (best, pool) => (best === undefined || pool.completed > best.completed ? pool : best),
    undefined,
  )
}

function save(kind: "json" | "html"): void {
  const { program } = model.latest ?? {}
  const name = `corepool-${program?.pid ?? 0}`
  if (kind === "json") download(`${name}.trace.json`, "application/json", JSON.stringify(traceOf(model)))
  else void pageOf(model).then((html) => download(`${name}.html`, "text/html", html))
}

const app = document.getElementById("app")
if (app !== null) render(<App />, app)
