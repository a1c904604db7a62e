/** What a tool gave back: an image, a table, a tree, a page on request, or text. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isRecord, type Json, readWhole } from "../json/partial";
import { looksLikePage, safePage } from "../markdown/page";
import { isSafeImage } from "../markdown/parser";
import { Tree } from "./tree";
import { count, size } from "./words";

const LONG = 1200;
const MANY_LINES = 16;
const MANY_ROWS = 20;
const WIDEST = 12;

export function Result({ text, cut }: { readonly text: string; readonly cut: number }) {
  return (
    <div class="aistream-result">
      <Shape text={text} />
      {cut > 0 && (
        <p class="aistream-faint">
          {size(cut)} more are in Python only: read the call's result there.
        </p>
      )}
    </div>
  );
}

function Shape({ text }: { readonly text: string }) {
  if (isInlineImage(text))
    return <img class="aistream-picture" src={text} alt="The tool's result" />;
  if (looksLikePage(text)) return <Page html={text} />;
  const value = readWhole(text);
  if (typeof value === "string") return <Shape text={value} />;
  if (value === undefined || typeof value !== "object" || value === null)
    return <Plain text={text} />;
  const picture = pictureOf(value);
  const page = pageOf(value);
  if (page) return <Page html={page} />;
  if (picture)
    return <img class="aistream-picture" src={picture} alt="The tool's result" />;
  if (isTable(value)) return <Table rows={value} />;
  return (
    <Folded long={text.length > LONG} about={size(text.length)}>
      <Tree value={value} />
    </Folded>
  );
}

function isInlineImage(text: string): boolean {
  return text.startsWith("data:image/") && isSafeImage(text);
}

/** MCP's image content: `{type: "image", data, mimeType}`, alone or in a list. */
function pictureOf(value: Json): string | null {
  const item = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isRecord(item) || item.type !== "image") return null;
  const { data, mimeType } = item;
  if (typeof data !== "string" || typeof mimeType !== "string") return null;
  const address = `data:${mimeType};base64,${data}`;
  return isInlineImage(address) ? address : null;
}

/** MCP's embedded resource with HTML in it, and Jupyter's bundle of forms. */
function pageOf(value: Json): string | null {
  const item = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isRecord(item)) return null;
  if (typeof item["text/html"] === "string") return item["text/html"];
  const resource = item.type === "resource" ? item.resource : null;
  if (!isRecord(resource) || typeof resource.text !== "string") return null;
  return resource.mimeType === "text/html" ? resource.text : null;
}

/** HTML as its source; as a page, behind a fence, when a person asks for it. */
function Page({ html }: { readonly html: string }) {
  const [shown, setShown] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (shown) place.current?.replaceChildren(safePage(html));
  }, [shown, html]);
  return (
    <div>
      {shown ? (
        <div class="aistream-page aistream-prose" dir="auto" ref={place} />
      ) : (
        <Plain text={html} />
      )}
      <button
        type="button"
        class="aistream-quiet"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? "Show the source" : "Show as a page"}
      </button>
    </div>
  );
}

type Rows = readonly { readonly [key: string]: Json }[];

function isTable(value: Json): value is { [key: string]: Json }[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord))
    return false;
  const columns = columnsOf(value);
  const flat = value.every((row) =>
    Object.values(row).every((cell) => typeof cell !== "object" || cell === null),
  );
  return flat && columns.length > 0 && columns.length <= WIDEST;
}

function columnsOf(rows: Rows): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function Table({ rows }: { readonly rows: Rows }) {
  const [all, setAll] = useState(false);
  const columns = columnsOf(rows);
  const shown = all ? rows : rows.slice(0, MANY_ROWS);
  return (
    <div class="aistream-wide">
      <table class="aistream-table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, at) => (
            <tr key={at}>
              {columns.map((name) => (
                <td
                  key={name}
                  class={typeof row[name] === "number" ? "aistream-right" : ""}
                >
                  {cellText(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" class="aistream-quiet" onClick={() => setAll(true)}>
          Show all {count(rows.length, "row")}
        </button>
      )}
    </div>
  );
}

function cellText(value: Json | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}

function Plain({ text }: { readonly text: string }) {
  const long = text.length > LONG || text.split("\n").length > MANY_LINES;
  if (text === "") return <span class="aistream-faint">empty text</span>;
  return (
    <Folded long={long} about={size(text.length)}>
      <pre class="aistream-plain" dir="auto">
        {text}
      </pre>
    </Folded>
  );
}

interface FoldedProps {
  readonly long: boolean;
  readonly about: string;
  readonly children: preact.ComponentChildren;
}

/** Something long, of which the beginning shows until it is opened. */
function Folded({ long, about, children }: FoldedProps) {
  const [open, setOpen] = useState(false);
  if (!long) return <>{children}</>;
  return (
    <div>
      <div class={open ? "" : "aistream-folded"}>{children}</div>
      <button
        type="button"
        class="aistream-quiet"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? "Show less" : `Show all (${about})`}
      </button>
    </div>
  );
}
