/** A test that failed. */
export interface Failure {
  /** From the project's folder. */
  file: string;
  /** With how long it took. */
  name: string;
  /** Whether it ran out of time. */
  isLate: boolean;
}

export interface FailureReader {
  readonly failures: readonly Failure[];
  /** Takes what `bun test` printed next, cut anywhere. */
  read(text: string): void;
  /** The errors that were printed of a file's tests, in one text; those that name no test's file if there are none. */
  errorsOf(file: string): string;
}

const MAX_FAILURES = 20;
/** Tests that pass print errors too. */
const MAX_ERRORS = 200;
const MAX_LINES = 60;
const MAX_LINE_CHARACTERS = 500;

const HEADING = /^(\S+\.test\.tsx?):$/;
const RESULT = /^\((pass|fail|skip|todo)\) (.*)$/;
const LATE = /^\s+\^ this test timed out after /;
const AT = /^\s+at /;
const TEST_FILE = /\.test\.tsx?\b/;
/** At its end, a long run names its failures once more. */
const SUMMARY = /^\d+ tests? (failed|skipped):$/;

/**
 * Reads the tests that failed, and their errors, from what `bun test` prints. Its workers print an error some time after the
 * result, under the heading of another file, so the two are joined by the file that the error names.
 */
export function createFailureReader(): FailureReader {
  const failures: Failure[] = [];
  const errors: string[] = [];
  let unended = "";
  let file = "";
  let lines: string[] = [];
  let hasJustFailed = false;
  let isOver = false;

  function endText(): void {
    if (lines.some((line) => AT.test(line))) errors.push(lines.join("\n"));
    if (errors.length > MAX_ERRORS) errors.shift();
    lines = [];
  }

  function readLine(line: string): void {
    if (isOver) return;
    if (SUMMARY.test(line)) {
      endText();
      isOver = true;
      return;
    }
    const heading = HEADING.exec(line)?.[1];
    const [, result, name = ""] = RESULT.exec(line) ?? [];
    const failure = failures.at(-1);
    if (failure && hasJustFailed && LATE.test(line)) failure.isLate = true;
    if (heading === undefined && result === undefined) {
      lines.push(line.slice(0, MAX_LINE_CHARACTERS));
      if (lines.length > MAX_LINES) lines.shift();
      return;
    }
    endText();
    file = heading ?? file;
    hasJustFailed = result === "fail" && failures.length < MAX_FAILURES;
    if (hasJustFailed) failures.push({ file, name, isLate: false });
  }

  return {
    failures,
    read(text) {
      const ended = (unended + text).split("\n");
      unended = (ended.pop() ?? "").slice(-MAX_LINE_CHARACTERS);
      for (const line of ended) readLine(line);
    },
    errorsOf(named) {
      const own = errors.filter((error) => error.includes(named));
      return (own.length > 0 ? own : errors.filter((error) => !TEST_FILE.test(error))).join("\n");
    },
  };
}

/**
 * These wait for a database, a server, a browser or a view, on a machine that does five other things: each of them stands still for seconds at
 * times, and what is tested with seconds of patience outlasts them.
 */
const COMPETES = /^test\/(client|e2e|server)\//;
/** A slow machine makes a few late. */
const MAX_REPEATED_FILES = 4;

/**
 * The files worth running once more, by themselves: few, and in all of them a test ran out of time or competes for the machine.
 * Otherwise none, as a fault of the code fails elsewhere too.
 */
export function filesToRepeat(failures: readonly Failure[], failed: number): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const areAllKnown = failures.length === failed;
  if (!areAllKnown || files.length > MAX_REPEATED_FILES) return [];
  const late = new Set(failures.filter(({ isLate }) => isLate).map(({ file }) => file));
  return files.every((file) => COMPETES.test(file) || late.has(file)) ? files : [];
}
