/** The list of events: only what is in sight is there, however many there are. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { EventRow, GhostView } from "../wire.gen";
import { type Desk, familyOf } from "./desk";

export const ROW_HEIGHT = 26;
const SPARE = 12;

export function Events({ desk }: { readonly desk: Desk }) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(420);
  desk.arrived.value;
  const total = desk.total.value;
  const current = desk.place.position - 1;
  const ghost = desk.ghost.value;
  useLayoutEffect(() => {
    if (box.current) setHeight(box.current.clientHeight || 420);
  }, []);
  useEffect(() => {
    if (box.current && !desk.filter.value) reveal(box.current, current);
  }, [current, total]);
  useEffect(() => {
    if (box.current && ghost) reveal(box.current, ghost.at);
  }, [ghost]);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE);
  const last = Math.min(total, Math.ceil((top + height) / ROW_HEIGHT) + SPARE);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class="aistream-events"
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label="Events"
      aria-activedescendant={current >= 0 ? `aistream-event-${current}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div
        style={{
          height: `${(total + (hasRow(ghost) ? 1 : 0)) * ROW_HEIGHT}px`,
          position: "relative",
        }}
      >
        {rows.map((at) => (
          <Row key={at} at={at} row={desk.row(at)} desk={desk} total={total} />
        ))}
        {hasRow(ghost) && <Ghost ghost={ghost} />}
      </div>
    </div>
  );
}

/** An event to put in, or to send earlier, has a row of its own. */
function hasRow(ghost: GhostView | null): ghost is GhostView {
  return ghost !== null && ghost.change !== "leave-out";
}

/** The event that is not there and would mend the stream. */
function Ghost({ ghost }: { readonly ghost: GhostView }) {
  return (
    <div
      class="aistream-event aistream-ghost"
      style={{ top: `${ghost.at * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px` }}
      role="option"
      tabIndex={-1}
      aria-selected={false}
      aria-label={`The fix: ${ghost.type} belongs here`}
    >
      <span class="aistream-event-index">+</span>
      <span class="aistream-event-time" />
      <span class={`aistream-event-type aistream-family-${familyOf(ghost.type)}`}>
        {ghost.type}
      </span>
      <span class="aistream-event-text">{ghost.json_text}</span>
    </div>
  );
}

/** Scroll only if the row is out of sight; after a leap it has rows on both sides. */
function reveal(box: HTMLElement, at: number): void {
  const top = Math.max(0, at) * ROW_HEIGHT;
  const above = box.scrollTop - top;
  const below = top + ROW_HEIGHT - box.scrollTop - box.clientHeight;
  if (Math.max(above, below) > box.clientHeight)
    box.scrollTop = top - box.clientHeight / 2;
  else if (above > 0) box.scrollTop = top;
  else if (below > 0) box.scrollTop += below;
}

interface RowProps {
  readonly at: number;
  readonly row: EventRow | undefined;
  readonly desk: Desk;
  readonly total: number;
}

function Row({ at, row, desk, total }: RowProps) {
  const ghost = desk.ghost.value;
  const down = hasRow(ghost) && at >= ghost.at ? 1 : 0;
  const style = { top: `${(at + down) * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px` };
  if (!row) return <div class="aistream-event" style={style} role="none" />;
  const selected = row.index === desk.place.position - 1;
  const future = row.index >= desk.place.position;
  const goes = ghost?.change === "leave-out" ? ghost.at : ghost?.source;
  const marks = [
    selected && " aistream-selected",
    future && " aistream-future",
    row.index === goes && " aistream-goes",
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list moves with the arrow keys
    <div
      class={`aistream-event${marks.filter(Boolean).join("")}`}
      style={style}
      id={`aistream-event-${row.index}`}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      aria-posinset={at + 1}
      aria-setsize={total}
      onClick={() => desk.seek(row.index + 1)}
    >
      <span class="aistream-event-index">{row.index}</span>
      <span class="aistream-event-time">
        {row.time === null ? "" : `+${row.time.toFixed(2)}`}
      </span>
      <span class={`aistream-event-type aistream-family-${familyOf(row.type)}`}>
        {row.type}
      </span>
      {row.level && (
        <span class={`aistream-level aistream-level-${row.level}`} title={row.rule}>
          {row.rule}
        </span>
      )}
      <span class="aistream-event-id">{row.id}</span>
      <span class="aistream-event-text">{row.text}</span>
    </div>
  );
}
