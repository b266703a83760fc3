import { setModuleUrl, task } from "/knitting/index.js"

setModuleUrl(import.meta.url)

export const add = task({ f: ([a, b]) => a + b })
export const echo = task({ f: (bytes) => bytes })
