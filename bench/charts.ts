/** Charts as SVG texts, for a page and for a picture of its own. Both follow the colours that the reader has chosen. */

export interface Bar {
  readonly name: string
  readonly median: number
  readonly min: number
  readonly max: number
  /** Corepool's bars have a colour of their own. */
  readonly isOurs: boolean
}

export interface Line {
  readonly name: string
  readonly values: readonly number[]
  readonly isOurs: boolean
}

/** A picture of its own brings the colours along; on a page they are those of the page. */
export const COLOURS = `
  .chart { --ink: #1c2330; --faint: #6b7585; --rule: #d9dee6; --ours: #1f6feb; --rival: #a9b4c4; --paper: #ffffff }
  @media (prefers-color-scheme: dark) {
    .chart { --ink: #e6ebf2; --faint: #9aa5b5; --rule: #343d4b; --ours: #58a6ff; --rival: #5a6678; --paper: #0f141b }
  }
  .chart text { font: 13px system-ui, sans-serif; fill: var(--ink) }
  .chart .faint { fill: var(--faint) }
  .chart .small { font-size: 10px }
  .chart .paper { fill: var(--paper) }
  .chart .rule { stroke: var(--rule); stroke-width: 1 }
  .chart .spread { stroke: var(--ink); stroke-width: 1.5 }
  .chart .ours { fill: var(--ours) }
  .chart .rival { fill: var(--rival) }
  .chart .line { fill: none; stroke-width: 2; stroke: var(--rival) }
  .chart .line.ours { stroke: var(--ours); stroke-width: 3 }
`

const WIDTH = 760
const ROW = 26
const NAMES = 310
const NUMBERS = 100

/** A bar for each contender: its median, and from the smallest to the greatest sample a line. A picture has a caption. */
export function barChart(title: string, unit: string, bars: readonly Bar[], caption?: string): string {
  const most = Math.max(...bars.map(({ max }) => max))
  const room = WIDTH - NAMES - NUMBERS
  const length = (value: number): number => Math.max(1, (value / most) * room)
  const rows = bars.map(({ name, median, min, max, isOurs }, index) => {
    const y = 40 + index * ROW
    const middle = y + ROW / 2 - 1
    return `<text x="${NAMES - 10}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>
<rect class="${isOurs ? "ours" : "rival"}" x="${NAMES}" y="${y + 3}" width="${at(length(median))}" height="${ROW - 8}" rx="2"/>
<path class="spread" d="M${at(NAMES + length(min))} ${middle}H${at(NAMES + length(max))}"/>
<text class="faint" x="${at(NAMES + Math.max(length(median), length(max)) + 8)}" y="${middle + 4}">${figure(median)} ${escaped(unit)}</text>`
  })
  return picture(title, 40 + bars.length * ROW + 10, rows.join("\n"), caption)
}

const PLOT = { left: 84, right: 190, top: 44, height: 240 }

/** A line for each contender over the same places, on a logarithmic scale. */
export function lineChart(
  title: string,
  unit: string,
  places: readonly string[],
  lines: readonly Line[],
  caption?: string,
): string {
  const all = lines.flatMap(({ values }) => values).filter((value) => value > 0)
  const lowest = Math.floor(Math.log10(Math.min(...all)))
  const highest = Math.ceil(Math.log10(Math.max(...all)))
  const room = WIDTH - PLOT.left - PLOT.right
  const x = (place: number): number => PLOT.left + (place / Math.max(1, places.length - 1)) * room
  const y = (value: number): number =>
    PLOT.top + PLOT.height * (1 - (Math.log10(value) - lowest) / Math.max(1, highest - lowest))
  const parts: string[] = []
  for (let power = lowest; power <= highest; power++) {
    const level = at(y(10 ** power))
    parts.push(`<path class="rule" d="M${PLOT.left} ${level}H${WIDTH - PLOT.right}"/>
<text class="faint" x="${PLOT.left - 8}" y="${level + 4}" text-anchor="end">${figure(10 ** power)} ${escaped(unit)}</text>`)
  }
  places.forEach((place, index) => {
    parts.push(
      `<text class="faint" x="${at(x(index))}" y="${PLOT.top + PLOT.height + 22}" text-anchor="middle">${escaped(place)}</text>`,
    )
  })
  const ends = spread(lines.map(({ values }) => y(values.at(-1) ?? 1)))
  lines.forEach(({ name, values, isOurs }, index) => {
    const points = values.map((value, place) => `${at(x(place))},${at(y(value))}`)
    parts.push(`<polyline class="line ${isOurs ? "ours" : "rival"}" points="${points.join(" ")}"/>
<text x="${WIDTH - PLOT.right + 10}" y="${at((ends[index] ?? 0) + 4)}">${escaped(name)}</text>`)
  })
  return picture(title, PLOT.top + PLOT.height + 40, parts.join("\n"), caption)
}

/** Moves heights apart, so that the names beside them can be read. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).toSorted((a, b) => a.height - b.height)
  const moved = heights.map(() => 0)
  let free = -Infinity
  for (const { height, index } of order) {
    free = Math.max(height, free + 16)
    moved[index] = free
  }
  return moved
}

/** With a caption it stands on its own, and brings its colours and its paper along. */
function picture(title: string, height: number, content: string, caption: string | undefined): string {
  const isAlone = caption !== undefined
  const own = isAlone ? `<style>${COLOURS}</style><rect class="paper" width="100%" height="100%"/>` : ""
  const below = isAlone ? `\n<text class="faint small" x="10" y="${height + 8}">${escaped(caption)}</text>` : ""
  return `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + (isAlone ? 20 : 0)}" role="img" aria-label="${escaped(title)}">${own}
<text x="10" y="22" font-weight="600">${escaped(title)}</text>
${content}${below}
</svg>`
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}

/** Three significant digits, no exponent. */
export function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : `${Number(value.toPrecision(value < 1 ? 2 : 3))}`
}

function at(value: number): number {
  return Math.round(value * 10) / 10
}
