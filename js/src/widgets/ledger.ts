/** The ledger's entry for anywidget: one table that is brought up to date row by row. */
import "../ledger/ledger.css";

interface Line {
  key: string;
  call: string;
  tool: string;
  epoch: number;
  decisions: string;
  ran: string;
  why: string;
  twice: boolean;
}

interface Model {
  get(name: "caption"): string;
  get(name: "columns"): string[];
  get(name: "about"): Readonly<Record<string, string>> | undefined;
  get(name: "lines"): Line[];
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

function cell(kind: "td" | "th", text: string, scope = ""): HTMLTableCellElement {
  const made = document.createElement(kind);
  made.textContent = text;
  if (scope) made.scope = scope;
  else made.dir = "auto";
  return made;
}

function row(line: Line): HTMLTableRowElement {
  const made = document.createElement("tr");
  const ran = cell("td", line.ran);
  if (line.ran !== "no")
    ran.className = line.twice ? "aistream-ran-twice" : "aistream-ran-once";
  made.append(
    cell("th", line.call, "row"),
    cell("td", line.tool),
    cell("td", String(line.epoch)),
    cell("td", line.decisions),
    ran,
    cell("td", line.why),
  );
  return made;
}

/** Replaces the rows that differ; the others stay, and with them a selection. */
function update(body: HTMLElement, shown: string[], lines: Line[]): string[] {
  const wanted = lines.map((line) => JSON.stringify(line));
  wanted.forEach((text, at) => {
    const old = body.children[at];
    if (text === shown[at]) return;
    const made = row(lines[at] as Line);
    if (old) old.replaceWith(made);
    else body.append(made);
  });
  while (body.children.length > wanted.length) body.lastElementChild?.remove();
  return wanted;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const root = document.createElement("div");
  root.className = "aistream-root aistream-ledger";
  root.tabIndex = 0;
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", "Ledger of tool calls");
  const table = document.createElement("table");
  const caption = table.createCaption();
  const head = table.createTHead();
  const names = head.insertRow();
  const about = model.get("about") ?? {};
  for (const name of model.get("columns")) {
    const made = cell("th", name, "col");
    made.title = about[name] ?? "";
    names.append(made);
  }
  const body = table.createTBody();
  root.append(table);
  el.append(root);

  let shown: string[] = [];
  const follow = (): void => {
    const lines = model.get("lines");
    caption.textContent = model.get("caption");
    head.hidden = lines.length === 0;
    shown = update(body, shown, lines);
  };
  follow();
  model.on("change:lines", follow);
  return () => {
    model.off("change:lines", follow);
    root.remove();
  };
}

export default { render };
