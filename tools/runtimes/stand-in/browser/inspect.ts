/** A value as a text, for the messages of tests that fail. It reads no getters. */

const DEPTH = 3
const MOST = 20

export function inspect(value: unknown, depth = DEPTH): string {
  if (typeof value === "string") return JSON.stringify(value)
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "function") return `[function ${value.name}]`
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value)
  if (value instanceof Error) return value.stack ?? String(value)
  if (depth === 0) return "…"
  if (Array.isArray(value)) return `[${listed(value, (element) => inspect(element, depth - 1))}]`
  const name = nameOf(value)
  const entries = Object.entries(Object.getOwnPropertyDescriptors(value))
  return `${name}{${listed(entries, ([key, own]) => `${key}: ${"value" in own ? inspect(own.value, depth - 1) : "get"}`)}}`
}

function nameOf(value: object): string {
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1)
  return name === "Object" ? "" : `${name} `
}

function listed<T>(elements: readonly T[], told: (element: T) => string): string {
  return elements.slice(0, MOST).map(told).join(", ") + (elements.length > MOST ? ", …" : "")
}
