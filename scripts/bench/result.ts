/** What a target limits: the value itself, or its ratio to the limit of the same run. */
export interface Target {
  of: "value" | "ratio";
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
  target?: Target;
  /** How the target is written in the table. */
  targetText?: string;
  details?: Record<string, string | number>;
}

/** The value divided by its limit; `undefined` without one. */
export function ratioOf({ value, limit }: Result): number | undefined {
  return limit && limit.value > 0 ? value / limit.value : undefined;
}

/** Whether the target is reached; `undefined` if there is no target, or no limit to divide by. */
export function isMet(result: Result): boolean | undefined {
  const { target, value } = result;
  if (!target) return undefined;
  const figure = target.of === "ratio" ? ratioOf(result) : value;
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
    return [
      result.title,
      `${plain(result.value)} ${result.unit}`,
      ratio === undefined ? beside : `${plain(ratio)}× (${beside})`,
      result.targetText ?? "",
      met === undefined ? "" : met ? "yes" : "**no**",
    ];
  });
  const header = ["measure", "figure", "to the limit of the same run", "target", "met"];
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function plain(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
