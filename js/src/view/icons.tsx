/** Small pictures beside words; hidden from screen readers, which get the words. */
import type { Tone } from "./words";

const PATHS: Readonly<Record<string, string>> = {
  quiet: "M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
  ask: "M8 1.8 15 14H1zM8 6v4M8 11.8v.4",
  good: "m3 8.5 3.2 3.2L13 5",
  bad: "m4 4 8 8M12 4l-8 8",
  off: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6",
  chevron: "m6 4 4 4-4 4",
  first: "M4 3.5v9M12 4 6.5 8 12 12z",
  back: "M10.5 4 5 8l5.5 4z",
  next: "M5.5 4 11 8l-5.5 4z",
  last: "M12 3.5v9M4 4l5.5 4L4 12z",
  pencil: "m3 13 .6-2.6L11 3l2 2-7.4 7.4z",
};

export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="aistream-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}

export function ToneIcon({ tone }: { readonly tone: Tone }) {
  if (tone === "busy") return <span class="aistream-spinner" aria-hidden="true" />;
  return <Icon name={tone} />;
}

export function Chevron() {
  return <Icon name="chevron" />;
}

export function Pencil() {
  return <Icon name="pencil" />;
}
