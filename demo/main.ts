/** The page of `npm run demo`: corepool in a browser, to try. */
import { input, say, byId } from "./elements.ts"
import { showFrameRate } from "./frame-rate.ts"
import { controlFractal } from "./fractal-controls.ts"
import { Fractal } from "./fractal.ts"
import { controlLoops } from "./loops.ts"
import { controlRace } from "./race.ts"

showFrameRate()
if (crossOriginIsolated) begin()
else {
  byId("refusal", HTMLElement).hidden = false
  say("refusal", "This page is not isolated: it has to be served with two headers, as `npm run demo` does.")
}

function begin(): void {
  const slider = input("threads")
  const processors = navigator.hardwareConcurrency
  slider.max = String(Math.max(4, 2 * processors))
  slider.value = String(processors)
  say("threads-now", slider.value)
  const threadsNow = (): number => Number(slider.value)
  const fractal = new Fractal(threadsNow())
  slider.addEventListener("input", () => {
    say("threads-now", slider.value)
    fractal.threads = threadsNow()
  })
  controlFractal(fractal)
  controlRace(threadsNow)
  controlLoops()
}
