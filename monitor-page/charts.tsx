/** The numbers of a pool over time. */
import { useEffect, useRef } from "preact/hooks"
import type { JSX } from "preact"
import uPlot from "uplot"
import { firstAfter, type PoolSample } from "./model.ts"

/** How much of the past the charts show, in ms. */
const SHOWN = 120_000

interface Line {
  readonly label: string
  readonly colour: string
  readonly dash?: number[]
  readonly of: (sample: PoolSample) => number | null
}

interface ChartProps {
  readonly title: string
  readonly unit: (value: number) => string
  readonly lines: readonly Line[]
  readonly samples: readonly PoolSample[]
  readonly revision: number
}

export function Charts(props: { readonly samples: readonly PoolSample[]; readonly revision: number }): JSX.Element {
  const { samples, revision } = props
  return (
    <div class="charts">
      <Chart
        title="Queue and threads"
        unit={countText}
        samples={samples}
        revision={revision}
        lines={[
          { label: "queued", colour: "--task-0", of: ({ pool }) => pool.queued },
          { label: "active threads", colour: "--task-2", dash: [5, 3], of: ({ pool }) => pool.active },
        ]}
      />
      <Chart
        title="Throughput"
        unit={(value) => `${countText(value)}/s`}
        samples={samples}
        revision={revision}
        lines={[{ label: "tasks per second", colour: "--task-1", of: ({ throughput }) => throughput }]}
      />
      <Chart title="Waiting" unit={timeText} samples={samples} revision={revision} lines={quantiles("wait")} />
      <Chart title="Running" unit={timeText} samples={samples} revision={revision} lines={quantiles("run")} />
    </div>
  )
}

function quantiles(key: "wait" | "run"): Line[] {
  return [
    { label: "p50", colour: "--task-0", of: ({ pool }) => pool[key]?.p50 ?? null },
    { label: "p95", colour: "--task-4", dash: [6, 3], of: ({ pool }) => pool[key]?.p95 ?? null },
    { label: "p99", colour: "--task-5", dash: [2, 3], of: ({ pool }) => pool[key]?.p99 ?? null },
  ]
}

function Chart({ title, unit, lines, samples, revision }: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const make = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(element, unit, lines), [[], ...lines.map(() => [])], element)
    }
    make()
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: 130 }))
    resized.observe(element)
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", make)
    return () => {
      resized.disconnect()
      dark.removeEventListener("change", make)
      plot.current?.destroy()
    }
  }, [])

  useEffect(() => {
    const latest = samples.at(-1)?.time ?? 0
    const shown = samples.slice(firstAfter(samples, ({ time }) => time, latest - SHOWN))
    plot.current?.setData([shown.map(({ time }) => time / 1000), ...lines.map(({ of }) => shown.map(of))], false)
    // The charts begin with half a minute, and grow.
    const begin = Math.max(latest - SHOWN, Math.min(shown[0]?.time ?? latest, latest - 30_000))
    plot.current?.setScale("x", { min: begin / 1000, max: latest / 1000 })
  }, [revision])

  return (
    <figure>
      <figcaption>
        <strong>{title}</strong>
        {lines.map((line) => {
          const value = latestOf(line, samples)
          return (
            <span key={line.label} class="legend">
              <i
                style={{
                  borderColor: `var(${line.colour})`,
                  borderStyle: line.dash === undefined ? "solid" : "dashed",
                }}
              />
              {line.label} <b>{value === null ? "–" : unit(value)}</b>
            </span>
          )
        })}
      </figcaption>
      <div ref={place} />
    </figure>
  )
}

/** The last value that is known, of the last five seconds. */
function latestOf({ of }: Line, samples: readonly PoolSample[]): number | null {
  for (let at = samples.length - 1; at >= Math.max(0, samples.length - 20); at--) {
    const value = of(samples[at] as PoolSample)
    if (value !== null) return value
  }
  return null
}

function optionsOf(element: HTMLElement, unit: (value: number) => string, lines: readonly Line[]): uPlot.Options {
  const style = getComputedStyle(element)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  const axis = { stroke: read("--faint"), grid: { stroke: read("--line"), width: 1 }, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: 130,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 24,
        space: 70,
        values: (_, splits) => splits.map((time) => new Date(time * 1000).toTimeString().slice(0, 8)),
      },
      { ...axis, size: 54, space: 28, values: (_, splits) => splits.map(unit) },
    ],
    series: [
      {},
      ...lines.map((line): uPlot.Series => ({
        stroke: read(line.colour),
        width: 1.5,
        points: { show: false },
        spanGaps: true, // not every task is measured, so not every frame has a time
        ...(line.dash === undefined ? {} : { dash: line.dash }),
      })),
    ],
  }
}

export function timeText(ms: number): string {
  if (ms <= 0) return "0"
  if (ms < 1) return `${round(ms * 1000)} µs`
  if (ms < 1000) return `${round(ms)} ms`
  if (ms < 120_000) return `${round(ms / 1000)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 120) return `${minutes} min`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 1440)} d`
}

export function countText(value: number): string {
  if (value >= 1e6) return `${round(value / 1e6)} M`
  return value >= 10_000 ? `${round(value / 1000)} k` : round(value)
}

function round(value: number): string {
  return value >= 100
    ? value.toFixed(0)
    : value >= 10
      ? value.toFixed(1).replace(/\.0$/, "")
      : value.toFixed(2).replace(/\.?0+$/, "")
}
