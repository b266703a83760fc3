/** Starts a monitor and a client that listens to it, and has nothing else to do. */
import { startMonitor } from "corepool/monitor"
import { get } from "node:http"

const { port, token } = await startMonitor()
const request = get({ port, host: "127.0.0.1", path: "/stream", headers: { authorization: `Bearer ${token}` } })
await new Promise<void>((resolve) =>
  request.on("response", (response) => {
    console.log(response.statusCode)
    response.socket.unref()
    resolve()
  }),
)
