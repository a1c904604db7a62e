/**
 * Checks a value against the everyday part of JSON Schema, while a person types.
 *
 * Python checks again with a full validator and has the last word; what is not known
 * here (patterns, conditions) is left to it.
 */
import { isRecord, type Json } from "./partial";

type Schema = Readonly<Record<string, unknown>>;

export interface Problem {
  readonly path: string;
  readonly message: string;
}

export function check(value: Json, schema: Schema): Problem[] {
  const problems: Problem[] = [];
  visit(value, schema, "", { root: schema, problems, depth: 0 });
  return problems;
}

interface Walk {
  readonly root: Schema;
  readonly problems: Problem[];
  readonly depth: number;
}

function visit(value: Json, schema: unknown, path: string, walk: Walk): void {
  if (schema === false) add(walk, path, "is not allowed here");
  if (!isSchema(schema) || walk.depth > 40) return;
  const deeper = { ...walk, depth: walk.depth + 1 };
  if (typeof schema.$ref === "string") {
    visit(value, resolve(schema.$ref, walk.root), path, deeper);
    return;
  }
  if (!checkType(value, schema, path, walk)) return;
  checkChoice(value, schema, path, walk);
  checkNumber(value, schema, path, walk);
  checkText(value, schema, path, walk);
  if (Array.isArray(value)) checkItems(value, schema, path, deeper);
  else if (isRecord(value)) checkMembers(value, schema, path, deeper);
  checkAlternatives(value, schema, path, deeper);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function add(walk: Walk, path: string, message: string): void {
  walk.problems.push({ path, message });
}

function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) ? at[name] : undefined;
  }
  return at;
}

export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkType(value: Json, schema: Schema, path: string, walk: Walk): boolean {
  if (schema.type === undefined) return true;
  const wanted = (Array.isArray(schema.type) ? schema.type : [schema.type]).map(String);
  const found = typeOf(value);
  if (wanted.includes(found) || (found === "integer" && wanted.includes("number")))
    return true;
  add(walk, path, `must be ${wanted.join(" or ")}, and is ${found}`);
  return false;
}

function checkChoice(value: Json, schema: Schema, path: string, walk: Walk): void {
  const text = JSON.stringify(value);
  const choices = Array.isArray(schema.enum)
    ? schema.enum.map((choice) => JSON.stringify(choice))
    : "const" in schema
      ? [JSON.stringify(schema.const)]
      : null;
  if (choices && !choices.includes(text))
    add(walk, path, `must be one of ${choices.join(", ")}`);
}

function checkNumber(value: Json, schema: Schema, path: string, walk: Walk): void {
  if (typeof value !== "number") return;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === "number" && value < minimum)
    add(walk, path, `must be at least ${minimum}`);
  if (typeof maximum === "number" && value > maximum)
    add(walk, path, `must be at most ${maximum}`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    add(walk, path, `must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    add(walk, path, `must be less than ${exclusiveMaximum}`);
}

function checkText(value: Json, schema: Schema, path: string, walk: Walk): void {
  if (typeof value !== "string") return;
  const length = [...value].length;
  if (typeof schema.minLength === "number" && length < schema.minLength)
    add(walk, path, `must have at least ${schema.minLength} characters`);
  if (typeof schema.maxLength === "number" && length > schema.maxLength)
    add(walk, path, `must have at most ${schema.maxLength} characters`);
}

function checkItems(value: Json[], schema: Schema, path: string, walk: Walk): void {
  if (typeof schema.minItems === "number" && value.length < schema.minItems)
    add(walk, path, `must have at least ${schema.minItems} items`);
  if (typeof schema.maxItems === "number" && value.length > schema.maxItems)
    add(walk, path, `must have at most ${schema.maxItems} items`);
  if (schema.items === undefined) return;
  value.forEach((item, at) => {
    visit(item, schema.items, `${path}[${at}]`, walk);
  });
}

function checkMembers(
  value: { [key: string]: Json },
  schema: Schema,
  path: string,
  walk: Walk,
): void {
  const known = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  for (const name of required)
    if (!Object.hasOwn(value, name)) add(walk, join(path, name), "is missing");
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(known, name)) visit(member, known[name], join(path, name), walk);
    else if (schema.additionalProperties === false)
      add(walk, join(path, name), "is not a known argument");
    else visit(member, schema.additionalProperties, join(path, name), walk);
  }
}

function checkAlternatives(
  value: Json,
  schema: Schema,
  path: string,
  walk: Walk,
): void {
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : [])
    visit(value, part, path, walk);
  const options = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(options) || options.length === 0) return;
  const outcomes = options.map((option) => {
    const problems: Problem[] = [];
    visit(value, option, path, { ...walk, problems });
    return problems;
  });
  if (outcomes.some((problems) => problems.length === 0)) return;
  const closest = outcomes.sort((one, two) => one.length - two.length)[0];
  walk.problems.push(...(closest ?? []));
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
