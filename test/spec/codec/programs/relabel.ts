import { task } from "corepool"

export interface Label {
  readonly id: number
  readonly name: string
  readonly at: Date
}

export const relabel: (label: Label) => Label = task(import.meta.url, function relabel(label: Label) {
  return { ...label, id: label.id + 1 }
})
