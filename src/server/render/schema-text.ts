/** The part of JSON Schema that the API's document uses. */
export interface ShownSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: ShownSchema[];
  oneOf?: ShownSchema[];
  items?: ShownSchema;
  properties?: Record<string, ShownSchema>;
  additionalProperties?: ShownSchema | boolean;
  required?: string[];
  format?: string;
  contentMediaType?: string;
}

const MAX_DEPTH = 8;

/** Writes a schema as a TypeScript type; a named schema as its name. */
export function schemaText(schema: ShownSchema, indent = "", depth = 0): string {
  if (depth > MAX_DEPTH) return "…";
  const inner = (part: ShownSchema) => schemaText(part, indent, depth + 1);
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(inner).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => inner({ ...schema, type })).join(" | ");
  if (schema.type === "array") return listText(inner(schema.items ?? {}));
  if (schema.type === "object") return objectText(schema, indent, depth);
  if (schema.contentMediaType !== undefined) return `file (${schema.contentMediaType})`;
  return schema.format === undefined ? (schema.type ?? "unknown") : `${schema.type} (${schema.format})`;
}

function listText(item: string): string {
  return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectText(
  { properties, required, additionalProperties }: ShownSchema,
  indent: string,
  depth: number,
) {
  const deeper = `${indent}  `;
  const lines = Object.entries(properties ?? {}).map(([name, schema]) => {
    const mark = required?.includes(name) ? "" : "?";
    return `${deeper}${name}${mark}: ${schemaText(schema, deeper, depth + 1)}`;
  });
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0) {
    lines.push(`${deeper}[name]: ${schemaText(additionalProperties, deeper, depth + 1)}`);
  }
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}
