import { expose, transfer } from "comlink"

expose({
  add: (a, b) => a + b,
  echo: (bytes) => bytes,
  move: (bytes) => transfer(bytes, [bytes.buffer]),
})
