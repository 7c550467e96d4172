/** One entry of an Accept header (RFC 9110 §12.5.1), names in lower case. */
export interface AcceptedType {
  type: string;
  parameters: Map<string, string>;
  /** Types and ranges that the same header refuses by a weight of 0, whatever their parameters. */
  refused: readonly string[];
}

/** Longer ones are refused before they are read. */
export const MAX_HEADER_LENGTH = 2_000;

/** The parts of a header between commas, or between semicolons; a quoted text may have both in it (RFC 9110 §5.6.4). */
const ENTRIES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const PARAMETERS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g;

/** The entries that the client takes at all; those that it likes best come first. */
export function acceptedTypes(accept: string): AcceptedType[] {
  const entries = (accept.match(ENTRIES) ?? []).map((entry) => {
    const [type = "", ...parameters] = (entry.match(PARAMETERS) ?? []).map((part) => part.trim());
    return { type: type.toLowerCase(), parameters: new Map(parameters.map(parseParameter)) };
  });
  const refused = entries
    .filter((entry) => entry.parameters.size === 1 && weightOf(entry) <= 0)
    .map(({ type }) => type);
  return entries
    .filter((entry) => entry.type !== "" && weightOf(entry) > 0)
    .map((entry) => ({ ...entry, refused }))
    .sort((one, other) => weightOf(other) - weightOf(one));
}

/**
 * Whether an entry, or what it names as `named`, takes a media type: by its name, or by a range such as `image/*` unless the header
 * refuses the type (RFC 9110 §12.5.1).
 */
export function takesType({ type, refused }: AcceptedType, wanted: string, named = type): boolean {
  if (named === wanted) return true;
  return isInRange(wanted, named) && !refused.some((one) => one === wanted || isInRange(wanted, one));
}

function isInRange(type: string, range: string): boolean {
  return range === "*/*" || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}

/** 1 for a weight that can't be read. */
export function weightOf({ parameters }: Pick<AcceptedType, "parameters">): number {
  const weight = Number.parseFloat(parameters.get("q") ?? "1");
  return Number.isNaN(weight) ? 1 : weight;
}

function parseParameter(parameter: string): [string, string] {
  const equals = parameter.indexOf("=");
  const value = parameter.slice(equals + 1).replace(/^"|"$/g, "");
  return [parameter.slice(0, equals).trim().toLowerCase(), value.trim().toLowerCase()];
}
