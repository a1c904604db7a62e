import { defineConfig } from "vitest/config";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  resolve: {
    alias: {
      "linkify-it": new URL("src/markdown/linkify.ts", import.meta.url).pathname,
    },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    server: { deps: { inline: ["markdown-it"] } },
  },
});
