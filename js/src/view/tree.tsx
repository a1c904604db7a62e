/** A JSON value as a small tree that reads like a list of facts. */
import { useState } from "preact/hooks";
import { isRecord, type Json } from "../json/partial";
import { count } from "./words";

const LONG_TEXT = 240;
const MANY = 50;

interface TreeProps {
  readonly value: Json;
  /** Names at the top that are marked as changed. */
  readonly changed?: ReadonlySet<string>;
}

export function Tree({ value, changed }: TreeProps) {
  if (isRecord(value)) return <Members value={value} depth={0} changed={changed} />;
  if (Array.isArray(value)) return <Items value={value} depth={0} />;
  return <Scalar value={value} />;
}

interface Inner<T> {
  readonly value: T;
  readonly depth: number;
}

type MembersProps = Inner<{ [key: string]: Json }> & {
  readonly changed?: ReadonlySet<string> | undefined;
};

function Members({ value, depth, changed }: MembersProps) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="aistream-faint">nothing</span>;
  return (
    <Rows
      rows={entries.map(([name, member]) => ({
        name,
        value: member,
        changed: changed?.has(name) ?? false,
      }))}
      depth={depth}
    />
  );
}

function Items({ value, depth }: Inner<Json[]>) {
  if (value.length === 0) return <span class="aistream-faint">empty list</span>;
  return (
    <Rows
      rows={value.map((item, at) => ({
        name: String(at + 1),
        value: item,
        changed: false,
      }))}
      depth={depth}
    />
  );
}

interface Row {
  readonly name: string;
  readonly value: Json;
  readonly changed: boolean;
}

function Rows({
  rows,
  depth,
}: {
  readonly rows: readonly Row[];
  readonly depth: number;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, MANY);
  return (
    <div class="aistream-rows">
      {shown.map(({ name, value, changed }) => (
        <div class={`aistream-row${changed ? " aistream-changed" : ""}`} key={name}>
          <span class="aistream-key" dir="auto">
            {name}
          </span>
          <div class="aistream-value">
            <Value value={value} depth={depth + 1} />
          </div>
        </div>
      ))}
      {shown.length < rows.length && (
        <button type="button" class="aistream-quiet" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
    </div>
  );
}

function Value({ value, depth }: Inner<Json>) {
  if (!isRecord(value) && !Array.isArray(value)) return <Scalar value={value} />;
  const amount = Array.isArray(value) ? value.length : Object.keys(value).length;
  const body = Array.isArray(value) ? (
    <Items value={value} depth={depth} />
  ) : (
    <Members value={value} depth={depth} />
  );
  if (amount === 0) return body;
  const words = Array.isArray(value) ? count(amount, "item") : count(amount, "field");
  return (
    <details open={depth < 3}>
      <summary class="aistream-faint">{words}</summary>
      {body}
    </details>
  );
}

function Scalar({ value }: { readonly value: Json }) {
  if (typeof value === "string") return <LongText text={value} />;
  return <code class="aistream-scalar">{String(value)}</code>;
}

/** Text that is whole up to three lines and folds beyond. */
export function LongText({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > LONG_TEXT || text.split("\n").length > 3;
  if (text === "") return <span class="aistream-faint">empty text</span>;
  return (
    <span>
      <span
        class={`aistream-string${long && !open ? " aistream-clamp" : ""}`}
        dir="auto"
      >
        {text}
      </span>
      {long && (
        <button
          type="button"
          class="aistream-quiet"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Less" : "More"}
        </button>
      )}
    </span>
  );
}
