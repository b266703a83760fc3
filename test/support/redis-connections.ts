/** Connections to a Redis, for tests. */
import { Redis } from "ioredis"

/** Ends all connections that have this name. */
export async function cutConnectionsNamed(url: string, name: string): Promise<void> {
  const client = new Redis(url)
  try {
    const list = String(await client.call("CLIENT", "LIST"))
    for (const line of list.split("\n").filter((each) => each.includes(` name=${name} `))) {
      const id = /^id=(\d+)/.exec(line)?.[1] ?? ""
      await client.call("CLIENT", "KILL", "ID", id)
    }
  } finally {
    client.disconnect()
  }
}
