/** The lanes with all that works on them: zoom, pause, the keys, and the choice of a task. */
import type { Block } from "#src/monitor/wire.js"
import { useEffect, useRef, useState } from "preact/hooks"
import type { JSX } from "preact"
import { AXIS_HEIGHT, LANE_HEIGHT, LanesCanvas, type View } from "./lanes-canvas.ts"
import { firstAfter, type Lane, type Model } from "./model.ts"

const SHORTEST = 5
const LONGEST = 300_000

export interface LanesProps {
  readonly model: Model
  readonly lanes: readonly Lane[]
  readonly matches: (name: string) => boolean
  /** The text of the filter. */
  readonly filter: string
  readonly span: number
  readonly setSpan: (span: number) => void
  readonly selected: Block | undefined
  readonly select: (block: Block | undefined) => void
  readonly isPaused: boolean
  readonly pause: (paused: boolean) => void
  /** Whether new frames come. */
  readonly isLive: boolean
}

export function Lanes(props: LanesProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { span, setSpan } = props
  const [focused, setFocused] = useState(-1)
  const state = useRef({ ...props, focused, end: 0, lag: 0 })
  Object.assign(state.current, props, { focused })

  useEffect(() => {
    const element = canvas.current
    if (element === null) return undefined
    const drawing = new LanesCanvas(element)
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const calm = matchMedia("(prefers-reduced-motion: reduce)")
    const recolour = (): void => drawing.recolour()
    dark.addEventListener("change", recolour)
    let request = 0
    const draw = (): void => {
      const now = state.current
      if (!now.isPaused) now.end = nowOf(now, calm.matches)
      const { model, lanes, matches, filter, selected, end } = now
      const view: View = { span: now.span, end, lanes, matches, filter, selected, focusedLane: now.focused }
      drawing.draw(model, view)
      request = requestAnimationFrame(draw)
    }
    draw()
    const zoomByWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey && event.deltaX === 0) return
      event.preventDefault()
      const { clientWidth } = element
      if (event.ctrlKey || event.metaKey) {
        const { span: before } = state.current
        const after = clamp(before * 1.0025 ** event.deltaY)
        if (state.current.isPaused) state.current.end += (after - before) * (1 - event.offsetX / clientWidth)
        setSpan(after)
      } else move((event.deltaX / clientWidth) * state.current.span)
    }
    element.addEventListener("wheel", zoomByWheel, { passive: false })
    return () => {
      cancelAnimationFrame(request)
      dark.removeEventListener("change", recolour)
      element.removeEventListener("wheel", zoomByWheel)
    }
  }, [])

  const move = (ms: number): void => {
    if (!state.current.isPaused) props.pause(true)
    state.current.end = Math.min(state.current.end + ms, props.model.latest?.time ?? 0)
  }
  const zoom = (factor: number): void => setSpan(clamp(state.current.span * factor))

  /** The task before or after the selected one, in the lane that has the focus. */
  const step = (direction: 1 | -1): void => {
    const lane = props.lanes[Math.max(0, focused)]
    if (lane === undefined) return
    props.pause(true)
    const { blocks } = lane
    const { end } = state.current
    const known = props.selected?.[0] === lane.line.id ? blocks.indexOf(props.selected) : -1
    const at = known >= 0 ? known + direction : firstAfter(blocks, (block) => block[2], end) - 1
    const block = blocks[at]
    if (block === undefined) return
    props.select(block)
    if (block[2] > end || block[2] < end - span) state.current.end = block[2] + span / 2
  }

  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(-span / 5),
    ArrowRight: () => move(span / 5),
    ArrowUp: () => setFocused(Math.max(0, focused - 1)),
    ArrowDown: () => setFocused(Math.min(props.lanes.length - 1, focused + 1)),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    " ": () => props.pause(!props.isPaused),
    End: () => props.pause(false),
    n: () => step(1),
    p: () => step(-1),
    Escape: () => props.select(undefined),
  }
  const pressed = (event: KeyboardEvent): void => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }

  /** The task under the pointer, or the one next to it within a few pixels. */
  const clicked = (event: MouseEvent): void => {
    const row = Math.floor((event.offsetY - AXIS_HEIGHT) / LANE_HEIGHT)
    const lane = props.lanes[row]
    if (lane === undefined) return
    setFocused(row)
    const { clientWidth } = event.currentTarget as HTMLCanvasElement
    const { end } = state.current
    const time = end - span + (event.offsetX / clientWidth) * span
    const near = (4 / clientWidth) * span
    const at = firstAfter(lane.blocks, (block) => block[2] + block[3], time - near)
    props.select(innermost(lane.blocks, at, time + near))
  }

  return (
    <div class="lanes">
      <div class="lane-names" aria-hidden="true">
        {props.lanes.map(({ line }, row) => (
          <div
            key={line.id}
            title={`${line.thread}, a thread of ${line.pool}`}
            class={row > 0 && props.lanes[row - 1]?.line.pool !== line.pool ? "other-pool" : ""}
          >
            {line.thread}
          </div>
        ))}
      </div>
      <div
        class="lane-canvas"
        role="group"
        tabIndex={0}
        aria-label="Lanes of the threads"
        aria-describedby="lane-keys"
        onKeyDown={pressed}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${props.lanes.length} threads, the last ${Math.round(span / 100) / 10} seconds; the tables below have the same`}
          onClick={clicked}
        />
      </div>
      <div class="lane-tools">
        <button type="button" onClick={() => props.pause(!props.isPaused)} aria-pressed={props.isPaused}>
          {props.isPaused ? "▶ Follow" : "❚❚ Pause the view"}
        </button>
        <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
          −
        </button>
        <span class="faint">{spanText(span)}</span>
        <span class="faint keys" id="lane-keys">
          Keys: ← → move, + − zoom, ↑ ↓ choose a lane, n p next and previous task, space pause, End follow
        </span>
      </div>
    </div>
  )
}

/** Among the blocks from this place on, which are in the order of their ends, the deepest that has begun by then. */
function innermost(blocks: readonly Block[], from: number, time: number): Block | undefined {
  let best: Block | undefined
  for (let at = from; at < blocks.length; at++) {
    const block = blocks[at] as Block
    if (block[2] <= time && (best === undefined || block[8] > best[8])) best = block
    if (block[8] === 0) break
  }
  return best
}

/** What a lane ends with: a little in the past, so that frames have arrived for all that is shown. */
function nowOf(now: { model: Model; isLive: boolean; lag: number }, isCalm: boolean): number {
  const latest = now.model.latest?.time ?? 0
  if (!now.isLive) return latest
  const wall = Date.now()
  // How far the clock of this browser is ahead of the frames: the least that was seen lately.
  const lag = wall - latest
  now.lag = Math.max(lag, now.lag - 0.1)
  const shown = wall - Math.min(now.lag, 2000)
  return isCalm ? Math.floor(shown / 1000) * 1000 : shown
}

function clamp(span: number): number {
  return Math.min(LONGEST, Math.max(SHORTEST, span))
}

export function spanText(span: number): string {
  return span >= 1000 ? `${(span / 1000).toFixed(span < 10_000 ? 1 : 0)} s` : `${span.toFixed(0)} ms`
}
