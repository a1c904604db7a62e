import { describe, expect, it } from "vitest";
import { readPartial, readWhole } from "../src/json/partial";
import { check } from "../src/json/schema";

describe("JSON that is being written", () => {
  it.each([
    ["", undefined],
    ["   ", undefined],
    ["nonsense", undefined],
    ["{", {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a": 1', { a: 1 }],
    ['{"a": 1, "b', { a: 1 }],
    ['{"a": "x', { a: "x" }],
    ['{"a": "x\\', { a: "x" }],
    ['{"a": "x\\u00', { a: "x" }],
    ['{"a": "x\\\\', { a: "x\\" }],
    ['{"a": [1, {"b": tr', { a: [1, {}] }],
    ['{"a": true, "b": null', { a: true, b: null }],
    ["[1, 2", [1, 2]],
    ['"open', "open"],
    ['{"a": {"b": []}}', { a: { b: [] } }],
  ])("%s", (text, value) => {
    expect(readPartial(text)).toEqual(value);
  });

  it("cannot reach a prototype", () => {
    const value = readPartial('{"__proto__": {"x": 1}, "y') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  it("may be deep without harm", () => {
    expect(() => readPartial("[".repeat(5000))).not.toThrow();
    expect(readWhole("{")).toBeUndefined();
  });
});

describe("a schema", () => {
  const messages = (value: unknown, schema: object): string[] =>
    check(value as never, schema as never).map(({ path, message }) =>
      `${path} ${message}`.trim(),
    );

  it.each<[string, unknown, object, string[]]>([
    ["a type", 3, { type: "string" }, ["must be string, and is integer"]],
    ["whole numbers", 3, { type: "number" }, []],
    ["several types", null, { type: ["string", "null"] }, []],
    ["a choice", "c", { enum: ["a", "b"] }, ['must be one of "a", "b"']],
    ["a constant", 1, { const: 2 }, ["must be one of 2"]],
    [
      "bounds",
      5,
      { minimum: 6, maximum: 4 },
      ["must be at least 6", "must be at most 4"],
    ],
    [
      "open bounds",
      5,
      { exclusiveMinimum: 5, exclusiveMaximum: 5 },
      ["must be more than 5", "must be less than 5"],
    ],
    ["lengths", "ab", { minLength: 3 }, ["must have at least 3 characters"]],
    ["longest", "ab", { maxLength: 1 }, ["must have at most 1 characters"]],
    ["few items", [1], { minItems: 2 }, ["must have at least 2 items"]],
    ["many items", [1], { maxItems: 0 }, ["must have at most 0 items"]],
    [
      "items",
      [1, "x"],
      { items: { type: "integer" } },
      ["[1] must be integer, and is string"],
    ],
    ["what is required", {}, { required: ["a"] }, ["a is missing"]],
    [
      "unknown members",
      { a: 1 },
      { properties: {}, additionalProperties: false },
      ["a is not a known argument"],
    ],
    [
      "further members",
      { a: 1 },
      { additionalProperties: { type: "string" } },
      ["a must be string, and is integer"],
    ],
    [
      "nesting",
      { a: { b: 1 } },
      { properties: { a: { properties: { b: { type: "string" } } } } },
      ["a.b must be string, and is integer"],
    ],
    [
      "references",
      { a: 1 },
      { properties: { a: { $ref: "#/$defs/T" } }, $defs: { T: { type: "string" } } },
      ["a must be string, and is integer"],
    ],
    ["references to nowhere", 1, { $ref: "other.json" }, []],
    ["all of", 1, { allOf: [{ type: "string" }] }, ["must be string, and is integer"]],
    ["any of, fits", 1, { anyOf: [{ type: "string" }, { type: "integer" }] }, []],
    [
      "any of, fits none",
      true,
      { anyOf: [{ type: "string" }] },
      ["must be string, and is boolean"],
    ],
    ["never", 1, { properties: {} }, []],
    [
      "refused members",
      { a: 1 },
      { properties: { a: false } },
      ["a is not allowed here"],
    ],
  ])("checks %s", (_name, value, schema, expected) => {
    expect(messages(value, schema)).toEqual(expected);
  });

  it("that refers to itself comes to an end", () => {
    expect(messages(1, { $ref: "#" })).toEqual([]);
  });
});
