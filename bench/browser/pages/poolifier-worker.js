import "./poolifier-window.js"
import { ThreadWorker } from "poolifier-web-worker"

export default new ThreadWorker({
  add: ({ a, b }) => a + b,
  echo: (bytes) => bytes,
})
