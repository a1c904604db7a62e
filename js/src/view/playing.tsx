/** The bar of a recording: play, step, and a slider over its events. */
import { useMemo } from "preact/hooks";
import { Mover } from "../mover";
import { useView } from "./context";
import { Icon } from "./icons";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 16];

export function PlayerBar() {
  const { store, line } = useView();
  const mover = useMemo(() => new Mover(store, line), [store, line]);
  if (store.inspect.value === null) return null;
  const { position, count, playing, speed } = mover.place;
  const off = line.state.value === "gone";
  return (
    <div class="aistream-toolbar aistream-player" role="toolbar" aria-label="Recording">
      <Step words="One event back" icon="back" press={() => mover.step(-1)} />
      <button
        type="button"
        class="aistream-button aistream-play"
        disabled={off}
        onClick={() => mover.play(!playing, speed)}
      >
        {playing ? "Pause" : "Play"}
      </button>
      <Step words="One event on" icon="next" press={() => mover.step(1)} />
      <input
        type="range"
        min={0}
        max={count}
        value={position}
        disabled={off}
        aria-label="Position"
        aria-valuetext={`event ${position} of ${count}`}
        onInput={(event) => mover.seek(Number(event.currentTarget.value))}
      />
      <SpeedChoice
        speed={speed}
        choose={(chosen) => mover.play(mover.place.playing, chosen)}
      />
      <span class="aistream-faint aistream-where">
        {position} of {count.toLocaleString("en-US")}
      </span>
    </div>
  );
}

interface StepProps {
  readonly words: string;
  readonly icon: string;
  readonly press: () => void;
}

export function Step({ words, icon, press }: StepProps) {
  return (
    <button
      type="button"
      class="aistream-quiet"
      aria-label={words}
      title={words}
      onClick={press}
    >
      <Icon name={icon} />
    </button>
  );
}

interface SpeedProps {
  readonly speed: number;
  readonly choose: (speed: number) => void;
}

export function SpeedChoice({ speed, choose }: SpeedProps) {
  return (
    <label class="aistream-speed">
      <span class="aistream-hidden">Speed</span>
      <select
        class="aistream-input"
        value={String(speed)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={String(one)}>
            {one}×
          </option>
        ))}
      </select>
    </label>
  );
}
