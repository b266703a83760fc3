/** `npm run bench -- --report`: a run as one page that needs nothing else, and two of its charts as pictures. */
import { mkdirSync, writeFileSync } from "node:fs"
import { type Bar, barChart, COLOURS, escaped, figure, type Line, lineChart } from "./charts.ts"
import type { BoutRecord, ContestRecord, CountRecord, RunRecord } from "./results.ts"
import { spreadOf } from "./statistics.ts"

/** Writes the page and its pictures into `folder`, and gives their paths. */
export function writeReport(folder: string, run: RunRecord): string[] {
  return write(folder, [["report.html", pageOf(run)], ...picturesOf(run)])
}

/** Writes the pictures alone, under names that say in a folder of other pictures what they are. */
export function writePictures(folder: string, run: RunRecord): string[] {
  return write(
    folder,
    picturesOf(run).map(([name, text]) => [`bench-${name}`, text]),
  )
}

function write(folder: string, files: readonly (readonly [name: string, text: string])[]): string[] {
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const [name, text] of files) {
    const path = `${folder}/${name}`
    writeFileSync(path, text)
    paths.push(path)
  }
  return paths
}

export function pageOf(run: RunRecord): string {
  const rivals = Object.entries(run.rivals).map(([name, version]) => `${name} ${version}`)
  const machine = `${machineOf(run)}. ${rivals.join(", ")}.`
  const sections = [
    ...run.contests.map(contestSection),
    ...(run.counts.length > 0 ? [`<h2>Counts</h2>${run.counts.map(countFigure).join("")}`] : []),
    lossSection(run),
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>corepool: benchmarks</title>
<style>
  :root { color-scheme: light dark }
  body { max-width: 820px; margin: 2rem auto; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif }
  figure { margin: 1.5rem 0 }
  table { border-collapse: collapse; font-size: 13px }
  th, td { padding: 2px 10px; text-align: left; border-bottom: 1px solid #8884 }
  td.number { text-align: right; font-variant-numeric: tabular-nums }
  .bad { font-weight: 600 }
${COLOURS}
</style>
<h1>corepool beside its rivals</h1>
<p>${escaped(machine)}</p>
<p>All contenders ran in turns, in one run. A bar is the median, the line on it goes from the smallest to the greatest
sample. Ratios are those of the same round; absolute numbers belong to the machine.${run.quick ? " This was a quick run: its numbers mean little." : ""}</p>
${sections.join("\n")}
</html>
`
}

function machineOf({ node, platform, cores, model }: RunRecord): string {
  return `Node ${node}, ${platform}, ${cores} cores (${model})`
}

function contestSection(contest: ContestRecord): string {
  const charts = isLatency(contest) ? [latencyChart(contest)] : []
  return `<h2>${escaped(contest.name)}</h2>${charts.join("")}${contest.bouts.map((bout) => boutFigure(bout, contest.unit)).join("")}`
}

function boutFigure(bout: BoutRecord, unit: string): string {
  const rows = bout.ratios.map(({ ours, rival, median, min, max, target }) => {
    const verdict = target === undefined ? "" : `≥ ${target}× ${median >= target ? "met" : "missed"}`
    const isBehind = median < (target ?? 1)
    return `<tr><td>${escaped(ours)}</td><td>${escaped(rival)}</td><td class="number${isBehind ? " bad" : ""}">${figure(median)}×</td><td class="number">${figure(min)}–${figure(max)}</td><td>${verdict}</td></tr>`
  })
  return `<figure>${barChart(titleOf(bout), unit === "ms" ? "ms" : "bytes", barsOf(bout))}
<table><tr><th>corepool</th><th>against</th><th>times as ${unit === "ms" ? "fast" : "small"}</th><th>min–max</th><th>target</th></tr>${rows.join("")}</table></figure>`
}

function countFigure(count: CountRecord): string {
  return `<figure>${barChart(`${count.name}: ${titleOf(count)}`, "", barsOf({ ...count, ratios: [] }))}</figure>`
}

/** All that did not go our way, in one place. */
function lossSection(run: RunRecord): string {
  const losses = run.contests.flatMap(({ name, bouts }) =>
    bouts.flatMap(({ title, ratios }) =>
      ratios
        .filter(({ median, target }) => median < Math.max(1, target ?? 1))
        .map(
          ({ ours, rival, median, target }) =>
            `<li>${escaped(`${name}: ${title}: ${ours} against ${rival}`)}: ${figure(median)}×${target === undefined ? "" : `, wanted ≥ ${target}×`}</li>`,
        ),
    ),
  )
  return `<h2>Where corepool is behind a rival, or short of a target</h2>${losses.length === 0 ? "<p>Nowhere.</p>" : `<ul>${losses.join("")}</ul>`}`
}

function barsOf({ samples, ratios }: BoutRecord): Bar[] {
  const ours = new Set(ratios.map((ratio) => ratio.ours))
  return Object.entries(samples).map(([name, values]) =>
    Object.assign({ name, isOurs: ours.has(name) }, spreadOf(values)),
  )
}

function titleOf({ n, title }: { readonly n: number; readonly title: string }): string {
  return `${n.toLocaleString("en")} ${title}`
}

// ------------------------------------------------------------------ pictures

const BURST = "platform-burst"
const LATENCY = "platform-latency"

/** The contests that have a picture. */
export const PICTURED: string[] = [BURST, LATENCY]

function picturesOf(run: RunRecord): [string, string][] {
  const pictures: [string, string][] = []
  const rounds = `median of ${run.rounds} rounds${run.quick ? ", quick: means little" : ""}`
  const captionOf = (contest: string): string => `${machineOf(run)}; ${rounds}; npm run bench -- ${contest}`
  const burst = run.contests.find(({ name }) => name === BURST)?.bouts[0]
  if (burst !== undefined) pictures.push(["burst.svg", throughputChart(burst, captionOf(BURST))])
  const latency = run.contests.find(isLatency)
  if (latency !== undefined) pictures.push(["latency.svg", latencyChart(latency, captionOf(LATENCY))])
  return pictures
}

/** How many tasks a second, which is more telling in a picture than the time for all. */
function throughputChart({ n, samples, ratios }: BoutRecord, caption: string): string {
  const perSecond = Object.entries(samples).map(([name, times]): [string, number[]] => [
    name.replace(/ \(.*\)$/, ""),
    times.map((ms) => n / ms),
  ])
  const bars = barsOf({ title: "", n, samples: Object.fromEntries(perSecond), ratios })
  return barChart(
    `${n.toLocaleString("en")} tiny tasks at once on 2 threads: thousands a second, longer is better`,
    "",
    bars.map((bar) => Object.assign(bar, { name: bar.isOurs ? `corepool: ${bar.name}` : bar.name })),
    caption,
  )
}

function isLatency({ name }: ContestRecord): boolean {
  return name === LATENCY
}

/** A line for each contender over the percentiles, which are the bouts of the contest. */
function latencyChart({ bouts }: ContestRecord, caption?: string): string {
  const places = bouts.map(({ title }) => /p[\d.]+/.exec(title)?.[0] ?? title)
  const ours = new Set(bouts.flatMap(({ ratios }) => ratios.map((ratio) => ratio.ours)))
  const lines = Object.keys(bouts[0]?.samples ?? {}).map((name): Line => ({
    name,
    values: bouts.map(({ samples }) => spreadOf(samples[name] ?? []).median),
    isOurs: ours.has(name),
  }))
  return lineChart("Time from due to done, half of 2 threads busy: lower is better", "ms", places, lines, caption)
}
