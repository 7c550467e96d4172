export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ReadFamily {
  name: string;
  type: string;
  unit: string | undefined;
  help: string;
  samples: ReadSample[];
}

const SUFFIXES: Record<string, readonly string[]> = {
  counter: ["_total"],
  gauge: [""],
  info: ["_info"],
  histogram: ["_bucket", "_count", "_sum"],
};
const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? ([+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf))$`,
);

/** Reads OpenMetrics 1.0 as strictly as its text says. @throws {Error} naming what is wrong */
export function readOpenMetrics(text: string): ReadFamily[] {
  const [body, rest] = text.split("# EOF\n");
  if (body === undefined || rest !== "" || !/^(.*\S\n)*$/.test(body)) throw new Error("not ended by # EOF");
  const families: ReadFamily[] = [];
  const seen = new Set<string>();
  for (const line of body.split("\n").slice(0, -1)) {
    const described = /^# (TYPE|UNIT|HELP) (\S+) (.+)$/.exec(line);
    if (described) describe(families, described);
    else addSample(families.at(-1), line, seen);
  }
  for (const family of families) check(family);
  const names = families.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error("a family comes twice");
  return families;
}

function describe(families: ReadFamily[], [, what, name = "", said = ""]: RegExpExecArray): void {
  if (what === "TYPE") families.push({ name, type: said, unit: undefined, help: "", samples: [] });
  const family = families.at(-1);
  if (family?.name !== name || family.samples.length > 0) throw new Error(`${what} of ${name} out of place`);
  if (what === "UNIT") family.unit = said;
  if (what !== "HELP") return;
  if (/(^|[^\\])(\\\\)*(\\[^\\n"]|")/.test(said)) throw new Error(`help of ${name} is not escaped`);
  family.help = said;
}

function addSample(family: ReadFamily | undefined, line: string, seen: Set<string>): void {
  const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (!family || name === "") throw new Error(`no sample: ${line}`);
  const ofFamily = (SUFFIXES[family.type] ?? []).map((suffix) => family.name + suffix);
  if (!ofFamily.includes(name)) throw new Error(`${name} is no sample of ${family.name} (${family.type})`);
  const pairs = [...labels.matchAll(new RegExp(LABEL, "g"))].map(([pair]): [string, string] => {
    const at = pair.indexOf("=");
    const text = pair.slice(at + 2, -1).replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
    return [pair.slice(0, at), text];
  });
  if (new Set(pairs.map(([label]) => label)).size < pairs.length)
    throw new Error(`a label comes twice: ${line}`);
  const identity = `${name}{${pairs.map((pair) => pair.join("=")).sort()}}`;
  if (seen.has(identity)) throw new Error(`a sample comes twice: ${line}`);
  seen.add(identity);
  family.samples.push({
    name,
    labels: Object.fromEntries(pairs),
    value: Number(value.replace("Inf", "Infinity")),
  });
}

function check(family: ReadFamily): void {
  const { name, type, unit, help, samples } = family;
  if (!new RegExp(`^${NAME}$`).test(name) || /_(total|info|bucket|count|sum)$/.test(name))
    throw new Error(`${name} is no name of a family`);
  if (!(type in SUFFIXES)) throw new Error(`${name} is of type ${type}`);
  if (help === "") throw new Error(`${name} has no help`);
  const unitInName = /_(seconds|bytes)$/.exec(name)?.[1];
  if (unit !== unitInName) throw new Error(`${name} says its unit is ${unit}`);
  for (const sample of samples) {
    if (type !== "gauge" && !(sample.value >= 0)) throw new Error(`${sample.name} is ${sample.value}`);
    if (type === "info" && sample.value !== 1) throw new Error(`${sample.name} is ${sample.value}`);
    if (sample.name.endsWith("_bucket") !== "le" in sample.labels)
      throw new Error(`le of ${sample.name} out of place`);
  }
  if (type === "histogram") checkBuckets(family);
}

/** Buckets of the same labels rise, their bounds too, up to +Inf, which holds the count. */
function checkBuckets({ name, samples }: ReadFamily): void {
  const of = (sample: ReadSample) => JSON.stringify({ ...sample.labels, le: undefined });
  for (const [labels, group] of Map.groupBy(samples, of)) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((sample) => sample.labels.le ?? "");
    if (bounds.at(-1) !== "+Inf" || bounds.slice(0, -1).some((bound) => !/^\d+\.\d+$/.test(bound)))
      throw new Error(`bounds of ${name}${labels}: ${bounds}`);
    const rises = (values: number[]) =>
      values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
    if (
      !rises(bounds.slice(0, -1).map(Number)) ||
      !rises(buckets.map(({ value }) => value)) ||
      group.find((sample) => sample.name === `${name}_count`)?.value !== buckets.at(-1)?.value ||
      !group.some((sample) => sample.name === `${name}_sum`)
    ) {
      throw new Error(`buckets of ${name}${labels}`);
    }
  }
}
