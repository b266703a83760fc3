/** What a check is: a name, and a function from the root of a repository to what is wrong with it. */

export interface Finding {
  /** A path from the root, perhaps with a line: `README.md:12`. */
  readonly where: string
  readonly what: string
  /** Listed, but fails nothing. */
  readonly warning?: boolean
}

export interface Check {
  readonly name: string
  run(root: string): Finding[] | Promise<Finding[]>
}
