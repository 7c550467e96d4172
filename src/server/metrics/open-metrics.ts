export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  labels?: Labels;
  value: number;
}

export interface Distribution {
  labels?: Labels;
  /** Observations of each bucket alone, not cumulative; the last bucket is for those above every bound. */
  counts: readonly number[];
  sum: number;
}

interface Described {
  /** Without the suffixes of its type; if it has a unit, the name ends with it. */
  name: string;
  unit?: "seconds" | "bytes";
  help: string;
}

/** One metric with all its samples. A label must never contain an id, a name or a path of a person. */
export type Family = Described &
  (
    | { type: "counter" | "gauge" | "info"; samples: readonly Sample[] }
    | { type: "histogram"; upperBounds: readonly number[]; samples: readonly Distribution[] }
  );

export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const SUFFIXES = { counter: "_total", gauge: "", info: "_info" };

/** Formats metrics as the text of OpenMetrics 1.0. */
export function encodeOpenMetrics(families: readonly Family[]): string {
  return `${families.flatMap(linesOf).join("\n")}\n# EOF\n`;
}

function linesOf(family: Family): string[] {
  const { name, type, unit, help } = family;
  return [
    `# TYPE ${name} ${type}`,
    ...(unit ? [`# UNIT ${name} ${unit}`] : []),
    `# HELP ${name} ${escaped(help)}`,
    ...(family.type === "histogram"
      ? family.samples.flatMap((sample) => bucketLines(name, family.upperBounds, sample))
      : family.samples.map(({ labels, value }) => line(`${name}${SUFFIXES[family.type]}`, labels, value))),
  ];
}

function bucketLines(
  name: string,
  upperBounds: readonly number[],
  { labels, counts, sum }: Distribution,
): string[] {
  let count = 0;
  const buckets = [...upperBounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += counts[index] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: boundText(bound) }, count);
  });
  return [...buckets, line(`${name}_count`, labels, count), line(`${name}_sum`, labels, sum)];
}

function line(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}`;
}

/** Bounds are always written as floats, so that each bucket has exactly one name. */
function boundText(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : numberText(bound);
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
