import { task, transfer } from "/corepool/index.js"

export const add = task(import.meta.url, function add(a, b) {
  return a + b
})
export const echo = task(import.meta.url, function echo(bytes) {
  return bytes
})
export const move = task(import.meta.url, function move(bytes) {
  return transfer(bytes, [bytes.buffer])
})
