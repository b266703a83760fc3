/** The mouse, the keys and the buttons of the picture. */
import { button, input } from "./elements.ts"
import { type Fractal } from "./fractal.ts"
import { zoomed } from "./fractal-view.ts"

const PACE = 60
const GOAL = { x: -0.743643887037151, y: 0.13182590420533 }
const DEEPEST = 2e-14

export function controlFractal(fractal: Fractal): void {
  const { canvas } = fractal
  const flight = flightOf(fractal)
  const go = (call: () => void) => (): void => {
    flight.end()
    call()
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: go(() => fractal.move(-PACE, 0)),
    ArrowRight: go(() => fractal.move(PACE, 0)),
    ArrowUp: go(() => fractal.move(0, -PACE)),
    ArrowDown: go(() => fractal.move(0, PACE)),
    "+": go(() => fractal.zoom(1.5)),
    "=": go(() => fractal.zoom(1.5)),
    "-": go(() => fractal.zoom(1 / 1.5)),
    "0": go(() => fractal.showAll()),
  }
  canvas.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  button("fractal-in").addEventListener("click", keys["+"] as () => void)
  button("fractal-out").addEventListener("click", keys["-"] as () => void)
  button("fractal-all").addEventListener("click", keys["0"] as () => void)
  button("fractal-fly").addEventListener("click", () => (flight.isOn ? flight.end() : flight.begin()))
  input("fractal-owners").addEventListener("change", ({ currentTarget }) => {
    fractal.showsOwners = (currentTarget as HTMLInputElement).checked
    if (!flight.isOn) fractal.show(fractal.view)
  })
  controlByPointer(fractal, () => flight.end())
}

function controlByPointer(fractal: Fractal, begin: () => void): void {
  const { canvas } = fractal
  const fromMiddle = ({ offsetX, offsetY }: MouseEvent): [number, number] => [
    offsetX - canvas.clientWidth / 2,
    offsetY - canvas.clientHeight / 2,
  ]
  let [x, y] = [0, 0]
  canvas.addEventListener("pointerdown", (event) => {
    begin()
    canvas.setPointerCapture(event.pointerId)
    ;[x, y] = [event.clientX, event.clientY]
  })
  canvas.addEventListener("pointermove", (event) => {
    const [right, down] = [x - event.clientX, y - event.clientY]
    if (!canvas.hasPointerCapture(event.pointerId) || (right === 0 && down === 0)) return
    ;[x, y] = [event.clientX, event.clientY]
    fractal.move(right, down)
  })
  canvas.addEventListener("dblclick", (event) => fractal.zoom(2, ...fromMiddle(event)))
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas) return // the wheel scrolls the page
      event.preventDefault()
      begin()
      fractal.zoom(Math.exp(-event.deltaY / 400), ...fromMiddle(event))
    },
    { passive: false },
  )
}

interface Flight {
  readonly isOn: boolean
  begin(): void
  end(): void
}

/** Goes nearer to a point with each picture, and back when it is near: the more threads, the faster. */
function flightOf(fractal: Fractal): Flight {
  const pressed = button("fractal-fly")
  let [isOn, factor] = [false, 1.07]
  const next = (): void => {
    if (!isOn) return
    const { step } = fractal.view
    if (step < DEEPEST) factor = 1 / 1.07
    else if (step > 0.003) factor = 1.07
    fractal.show(zoomed({ ...GOAL, step }, factor), () => requestAnimationFrame(next))
  }
  const turn = (on: boolean): void => {
    isOn = on
    pressed.setAttribute("aria-pressed", String(on))
  }
  return {
    get isOn() {
      return isOn
    },
    begin() {
      turn(true)
      next()
    },
    end: () => turn(false),
  }
}
