/** Tables of what is not in the lanes: nodes of other machines, schedules and locks. */
import type { FleetLine, Frame } from "#src/monitor/wire.js"
import type { JSX } from "preact"
import { countText, timeText } from "./charts.tsx"
import { clock } from "./lanes-canvas.ts"
import { type Act, nameText } from "./tables.tsx"

/** A node is to say something at least every two seconds. */
function nodeState({ silence, isDraining, running }: FleetLine["nodes"][number]): string {
  if (silence > 5000) return `silent for ${timeText(silence)}`
  return isDraining ? "draining" : running > 0 ? "running" : "idle"
}

/** The nodes of a distributed executor. */
export function Nodes({ fleet }: { readonly fleet: FleetLine }): JSX.Element {
  const { name, engine, state, counts, outstanding, nodes, moreNodes, problem } = fleet
  return (
    <>
      <table>
        <caption>
          Nodes of {name}
          {moreNodes > 0 ? `, and ${moreNodes} more` : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">machine</th>
            <th scope="col" class="number">
              process
            </th>
            <th scope="col">state</th>
            <th scope="col" class="number">
              running
            </th>
            <th scope="col" class="number">
              up for
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.length === 0 && (
            <tr>
              <td colSpan={6} class="faint">
                {counts === undefined ? "The server has not answered yet." : "No node is connected."}
              </td>
            </tr>
          )}
          {nodes.map((node) => (
            <tr key={node.id}>
              <th scope="row">{node.name}</th>
              <td>{node.host}</td>
              <td class="number">{node.pid}</td>
              <td>{nodeState(node)}</td>
              <td class="number">{`${node.running} of ${node.concurrency}`}</td>
              <td class="number">{timeText(node.age)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        {engine}, {state}, {countText(outstanding)} tasks of this process are outstanding.{" "}
        {counts !== undefined &&
          `In the queue: ${countText(counts.waiting)} waiting, ${countText(counts.active)} active, ${countText(counts.delayed)} delayed, ${countText(counts.completed)} completed, ${countText(counts.failed)} failed.`}
      </p>
      {problem !== undefined && <p class="bad">These numbers are old: {problem}</p>}
    </>
  )
}

export function Schedules({ frame, act }: { readonly frame: Frame; readonly act: Act }): JSX.Element {
  return (
    <table>
      <caption>Schedules{frame.moreSchedules > 0 ? `, and ${frame.moreSchedules} more` : ""}</caption>
      <thead>
        <tr>
          <th scope="col">function</th>
          <th scope="col">pool</th>
          <th scope="col">repeats</th>
          <th scope="col">next run</th>
          {frame.allowActions && <th scope="col">actions</th>}
        </tr>
      </thead>
      <tbody>
        {frame.schedules.map(({ id, name, pool, isPeriodic, next }) => (
          <tr key={id}>
            <th scope="row">{nameText(name)}</th>
            <td>{pool}</td>
            <td>{isPeriodic ? "yes" : "no"}</td>
            <td>
              {next === undefined ? "unknown" : `${clock(next, 1000)}, in ${timeText(Math.max(0, next - frame.time))}`}
            </td>
            {frame.allowActions && (
              <td>
                <button
                  type="button"
                  onClick={() => act({ action: "cancel", id })}
                  aria-label={`Cancel ${nameText(name)}`}
                >
                  Cancel
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function Locks({ frame }: { readonly frame: Frame }): JSX.Element {
  return (
    <table>
      <caption>Locks that the program has named</caption>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">state</th>
          <th scope="col">who waits</th>
        </tr>
      </thead>
      <tbody>
        {frame.locks.map(({ name, holder, waiting, waitingCount }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{holder}</td>
            <td>
              {waitingCount === 0 ? "no thread" : waiting.join(", ")}
              {waitingCount > waiting.length ? ` and ${waitingCount - waiting.length} more` : ""}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
