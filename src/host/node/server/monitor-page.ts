/**
 * The page of the monitor, as the build has made it (tools/bundle/monitor-page.ts). In bundles another text takes the
 * place of this module.
 */
import { createRequire } from "node:module"
import { runInThisContext } from "node:vm"

export interface MonitorPage {
  readonly html: string
  /** The Content-Security-Policy that allows the page's own script and style alone. */
  readonly policy: string
}

export function monitorPage(): MonitorPage {
  const texts = createRequire(import.meta.url)("../../../../../dist/code-monitor.cjs") as Record<string, string>
  const module = {} as { exports: MonitorPage }
  ;(runInThisContext(texts["monitor-page"] as string) as (to: object) => void)(module)
  return module.exports
}
