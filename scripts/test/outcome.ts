/** How many checks and tests passed, failed and were skipped. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

export function sumOf(outcomes: readonly Outcome[]): Outcome {
  const total: Outcome = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of outcomes) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** What a run says last: its last line never changes its form. */
export function closingLine({ passed, failed, skipped }: Outcome): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${skipped} skipped\n${line}` : line;
}

/** What `bun test` said in its closing lines. A run that died before them, or failed outside a test, failed all the same. */
export function outcomeOf(report: string, exitCode: number | null): Outcome {
  const closing = (word: string) => Number(report.match(new RegExp(`^\\s*(\\d+) ${word}$`, "m"))?.[1] ?? 0);
  const outcome = { passed: closing("pass"), failed: closing("fail"), skipped: closing("skip") };
  if (exitCode !== 0 && outcome.failed === 0) outcome.failed = 1;
  return outcome;
}
