/** What a target limits: the value itself, or its ratio to the limit or to the reference of the same run. */
export interface Target {
  of: "value" | "ratio" | "reference";
  atMost?: number;
  atLeast?: number;
}

/** The same work done by the machine without our server, measured in the same run. */
export interface Limit {
  what: string;
  value: number;
}

/** One figure of the table. */
export interface Result {
  /** `ingest.stored` */
  measure: string;
  title: string;
  value: number;
  unit: string;
  limit?: Limit;
  /** The same work done by the reference archive in the same run. */
  reference?: number;
  target?: Target;
  /** How the target is written in the table. */
  targetText?: string;
  details?: Record<string, string | number>;
}

/** The value divided by its limit; `undefined` without one. */
function ratioOf({ value, limit }: Result): number | undefined {
  return limit && limit.value > 0 ? value / limit.value : undefined;
}

/** The value divided by the reference's; `undefined` without one. */
function toReference({ value, reference }: Result): number | undefined {
  return reference ? value / reference : undefined;
}

const FIGURES: Record<Target["of"], (result: Result) => number | undefined> = {
  value: ({ value }) => value,
  ratio: ratioOf,
  reference: toReference,
};

/** Whether the target is reached; `undefined` if there is no target, or nothing to divide by. */
function isMet(result: Result): boolean | undefined {
  const { target } = result;
  if (!target) return undefined;
  const figure = FIGURES[target.of](result);
  if (figure === undefined) return undefined;
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = target;
  return figure <= atMost && figure >= atLeast;
}

export function jsonLine(result: Result): string {
  const { target: _target, ...rest } = result;
  return JSON.stringify({ ...rest, ratio: ratioOf(result), isMet: isMet(result) });
}

/** All results as a Markdown table. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const ratio = ratioOf(result);
    const beside = result.limit ? `${result.limit.what} ${plain(result.limit.value)} ${result.unit}` : "";
    const met = isMet(result);
    const ofReference = toReference(result);
    return [
      result.title,
      `${plain(result.value)} ${result.unit}`,
      ratio === undefined ? beside : `${plain(ratio)}× (${beside})`,
      ofReference === undefined ? "" : `${plain(ofReference)}× (${plain(result.reference ?? 0)})`,
      result.targetText ?? "",
      met === undefined ? "" : met ? "yes" : "**no**",
    ];
  });
  const header = [
    "measure",
    "figure",
    "to the limit of the same run",
    "to the reference archive",
    "target",
    "met",
  ];
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function plain(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value < 0.1 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
}
