/** The package has no types of its own. */
declare module "parse-prometheus-text-format" {
  interface ParsedFamily {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly {
      readonly value?: string
      readonly labels?: Readonly<Record<string, string>>
      readonly quantiles?: Readonly<Record<string, string>>
      readonly count?: string
      readonly sum?: string
    }[]
  }
  export default function parse(text: string): ParsedFamily[]
}
