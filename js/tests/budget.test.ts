import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const KILOBYTE = 1024;

async function weigh(entry: string): Promise<number> {
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    outdir: "out",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    alias: { "linkify-it": "./src/markdown/linkify.ts" },
  });
  return made.outputFiles.reduce(
    (sum, file) => sum + gzipSync(file.contents, { level: 9 }).length,
    0,
  );
}

it.each([
  ["src/widgets/transcript.tsx", 120],
  ["src/widgets/inspector.tsx", 120],
  ["src/widgets/ledger.ts", 5],
  ["src/widgets/math.ts", 90],
])("%s stays within %i KB, minified and zipped", async (entry, budget) => {
  expect(existsSync(entry)).toBe(true);
  const size = (await weigh(entry)) / KILOBYTE;
  console.log(`${entry}: ${size.toFixed(1)} KB of ${budget}`);
  expect(size).toBeLessThan(budget);
});

it("no bundle loads anything from a network", () => {
  for (const name of ["view/transcript.tsx", "markdown/math.ts", "model.ts"])
    expect(readFileSync(`src/${name}`, "utf8")).not.toMatch(/https?:\/\//);
});
