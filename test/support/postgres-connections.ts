/** Connections to a server, for tests. */
import pg from "pg"

/** Ends all connections that work in this schema. They have it in their search path, and have named themselves by it. */
export async function cutConnectionsOf(url: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = $1",
      [schema],
    )
  } finally {
    await client.end()
  }
}
