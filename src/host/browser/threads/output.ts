/** What a worker prints appears in the console by itself. */

export type Output = "direct" | "relayed"

export type Outputs = readonly [Output, Output]

export function outputsFor(_wanted: Output | undefined): Outputs {
  return ["direct", "direct"]
}

export function printBy(_outputs: Outputs, _block: (ms: number) => void): void {}
