/** A test that failed. */
export interface Failure {
  /** From the project's folder. */
  file: string;
  /** What was printed of it, its name at the end. */
  told: string;
}

export interface FailureReader {
  readonly failures: readonly Failure[];
  /** Takes what `bun test` printed next, cut anywhere. */
  read(text: string): void;
}

/** Of what a test prints before it fails, the end. */
const MAX_LINES = 60;
const MAX_LINE_CHARACTERS = 500;
const MAX_FAILURES = 20;

const HEADING = /^(\S+\.test\.tsx?):$/;
const OTHER_END = /^\((pass|skip|todo)\) /;
const FAILED = /^\(fail\) /;
/** At its end, a long run names its failures once more. */
const SUMMARY = /^\d+ tests? (failed|skipped):$/;

/** Reads the tests that failed, and what was told of each, from what `bun test` prints. */
export function createFailureReader(): FailureReader {
  const failures: Failure[] = [];
  let unended = "";
  let file = "";
  let lines: string[] = [];
  let isOver = false;

  function readLine(line: string): void {
    if (isOver) return;
    isOver = SUMMARY.test(line);
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) file = heading;
    if (heading !== undefined || OTHER_END.test(line)) {
      lines = [];
      return;
    }
    lines.push(line.slice(0, MAX_LINE_CHARACTERS));
    if (lines.length > MAX_LINES) lines.shift();
    if (!FAILED.test(line)) return;
    if (failures.length < MAX_FAILURES) failures.push({ file, told: lines.join("\n") });
    lines = [];
  }

  return {
    failures,
    read(text) {
      const ended = (unended + text).split("\n");
      unended = (ended.pop() ?? "").slice(-MAX_LINE_CHARACTERS);
      for (const line of ended) readLine(line);
    },
  };
}

/** Jobs in a browser or with many processes wait for seconds on a machine that does five other things. */
const REPEATED = /^test\/e2e\//;
const MAX_REPEATED_FILES = 2;

/**
 * The files worth running once more, by themselves: few, and all that failed are jobs that compete for the machine.
 * Otherwise none, as a fault of the code fails elsewhere too.
 */
export function filesToRepeat(failures: readonly Failure[], failed: number): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const areAllKnown = failures.length === failed;
  if (!areAllKnown || files.length > MAX_REPEATED_FILES) return [];
  return files.every((file) => REPEATED.test(file)) ? files : [];
}
