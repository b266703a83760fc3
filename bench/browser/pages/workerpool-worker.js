import workerpool from "workerpool"

workerpool.worker({
  add: (a, b) => a + b,
  echo: (bytes) => bytes,
  move: (bytes) => new workerpool.Transfer(bytes, [bytes.buffer]),
})
