// Builds one bundle for each file in src/widgets into aistream_nb/widgets/static.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(join(HERE, "src", "widgets"));

const options = {
  absWorkingDir: HERE,
  entryPoints: names.map((name) => join("src", "widgets", name)),
  outdir: join(HERE, "..", "aistream_nb", "widgets", "static"),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: !process.argv.includes("--watch"),
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  // Bare addresses are found by our own small rule; see src/markdown/parser.ts.
  alias: { "linkify-it": join(HERE, "src", "markdown", "linkify.ts") },
  logLevel: "warning",
};

if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
