/**
 * The page of the monitor, as the build has made it (tools/bundle/monitor-page.ts). In bundles another text takes the
 * place of this module.
 */
import { createRequire } from "node:module"

export interface MonitorPage {
  readonly html: string
  /** The Content-Security-Policy that allows the page's own script and style alone. */
  readonly policy: string
}

export function monitorPage(): MonitorPage {
  return createRequire(import.meta.url)("../../../../dist/monitor-page.cjs") as MonitorPage
}
