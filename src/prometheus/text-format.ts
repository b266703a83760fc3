/**
 * Prometheus' text format, version 0.0.4: a family of samples has one line of help, one of its type, and a line for
 * each sample. All samples of a family stand together.
 */
export type Labels = Readonly<Record<string, string>>

export interface Sample {
  /** What follows the name of the family: `_count`, or nothing. */
  readonly suffix?: string
  readonly labels: Labels
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: "gauge" | "counter" | "summary"
  readonly help: string
  readonly samples: readonly Sample[]
}

export function render(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ suffix = "", labels, value }) => `${name}${suffix}${braced(labels)} ${numeral(value)}\n`,
      )
      return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n${lines.join("")}`
    })
    .join("")
}

function braced(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

function numeral(value: number): string {
  if (Number.isNaN(value)) return "NaN"
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf"
}
