/** Ends the thread itself. */
export default function end(): void {
  process.exit(3)
}
