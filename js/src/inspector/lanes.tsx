/**
 * What was open when: one thin bar a span, over the scrubber.
 *
 * A span that never closed runs on in red to the end. Marks above show violations.
 */
import type { SpanView, Story } from "../wire.gen";

const ROW = 9;
const BAR = 6;
const MOST_ROWS = 14;

interface Placed {
  readonly span: SpanView;
  readonly row: number;
}

/** Each span in the first row where there is room. */
export function place(spans: readonly SpanView[], count: number): Placed[] {
  const ends: number[] = [];
  return spans.map((span) => {
    const end = span.end ?? count;
    let row = ends.findIndex((free) => free < span.start);
    if (row === -1) row = ends.length < MOST_ROWS ? ends.length : MOST_ROWS - 1;
    ends[row] = Math.max(end, ends[row] ?? 0);
    return { span, row };
  });
}

interface LanesProps {
  readonly story: Story;
  readonly count: number;
  readonly position: number;
  readonly seek: (position: number) => void;
}

export function Lanes({ story, count, position, seek }: LanesProps) {
  const placed = place(story.spans, story.count);
  const rows = Math.max(1, ...placed.map(({ row }) => row + 1));
  const width = Math.max(1, count);
  const height = rows * ROW + 10;
  // Wide enough to be seen, however many events there are.
  const mark = Math.max(width / 250, Math.min(1, width / 60));
  const jump = (event: MouseEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    seek(Math.ceil(((event.clientX - box.left) / box.width) * width));
  };
  return (
    <svg
      class="aistream-lanes"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      style={{ height: `${height}px` }}
      aria-hidden="true"
      onClick={jump}
    >
      {placed.map(({ span, row }, at) => (
        <rect
          key={at}
          class={`aistream-span-${span.end === null ? "open" : span.kind}`}
          x={span.start}
          y={10 + row * ROW}
          width={Math.max((span.end ?? story.count) - span.start + 1, width / 400)}
          height={BAR}
        >
          <title>{`${span.kind} ${span.label}${span.end === null ? ", never closed" : ""}`}</title>
        </rect>
      ))}
      {story.violations.map((found, at) => (
        <rect
          key={at}
          class={`aistream-mark-${found.level}`}
          x={Math.max(0, Math.min(found.at - 1, width - mark))}
          y={0}
          width={mark}
          height={7}
        />
      ))}
      <rect
        class="aistream-playhead"
        x={Math.min(position, width - width / 500)}
        y={0}
        width={Math.max(width / 500, 0.02)}
        height={height}
      />
    </svg>
  );
}
