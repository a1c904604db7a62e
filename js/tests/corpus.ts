/** Texts for the markdown tests: CommonMark's examples, and what models write. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const FENCE = "`".repeat(32);

/** The examples of CommonMark 0.31.2. */
export function commonmark(): string[] {
  const path = createRequire(import.meta.url).resolve("commonmark-spec/spec.txt");
  const text = readFileSync(path, "utf8");
  const examples = text.matchAll(
    new RegExp(`^${FENCE} example\\n([\\s\\S]*?)^\\.\\n[\\s\\S]*?^${FENCE}$`, "gm"),
  );
  return [...examples].map((match) => (match[1] ?? "").replaceAll("→", "\t"));
}

/** What a model's answer looks like, with the awkward ends of streaming in it. */
export const ANSWERS: readonly string[] = [
  "Hello **world**, this is `code` and *emphasis*.\n\nA second paragraph.\n",
  "# Title\n\ntext\n===\n\nmore\n---\n\n- - -\n",
  "- one\n- two\n- three\n- four\n\nafter\n",
  "- one\n\n- two\n- three\n\n\n- four\n  continued\nlazy\n* other\n",
  "1. one\n2. two\n   - inner\n   - inner two\n\n     para\n3. three\n10. ten\n\n    code\n",
  "- [ ] a\n- b\n  ```py\n  x = 1\n  ```\n- c\n- d\n",
  "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | **4** |\n| 5 | `6|7` |\n\nend\n",
  "text\na | b\n--|--\n1 | 2\n3 | 4\nnot a row\n",
  "text\na | b\n--|--x\n1 | 2\n",
  "```python\ndef f():\n    return 1\n\n# end\n```\n\nafter\n",
  "````\n```\nnested\n```\n````\nnext\n",
  "~~~\nopen\n``\n```\n",
  "```\nnever closed\n\n- not a list\n",
  "> quote\n> - list\n>   more\nlazy\n\n> second\n\nnext\n",
  "See [a] and [b].\n\n[a]: https://a.example\n[b]: <https://b.example> 'title'\n\nagain [a].\n",
  "[foo]: /url\n'title\nmore'\n\n[foo]\n",
  "Math $x^2$ and $$y$$ and \\(z\\), price $5 and $6.\n\n$$\n\\int x\n$$\n\n\\[ a \\]\n\nend\n",
  "a\r\nb\r\n\r\n- c\r\n- d\r\n- e\r\n",
  "![image](https://x.example/a.png) and ![data](data:image/png;base64,AAAA) ok\n",
  "https://example.org/a_(b). and (https://example.org/x), <https://y.example>\n",
  "***bold italic*** ~~gone~~ __under__ snake_case_name 2*3*4\n",
  "    indented\n\n    code\n\ntext\n",
  "para\n* a\n* b\n* * *\npara\n- \n- x\n-\n- y\n",
  "1) one\n2) two\n3) three\n4. four\n5. five\n6. six\n",
  "- a\n   - b\n      - c\n         - d\n- e\n - f\n  - g\n   - h\n    - i\n",
  "<b>html</b> & &amp; &lt; <script>alert(1)</script>\n\n<div>\nblock\n</div>\n",
];
