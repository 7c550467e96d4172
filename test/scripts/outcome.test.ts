import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closingLine, outcomeOf, sumOf } from "../../scripts/test/outcome.ts";

const TIMEOUT_MS = 120_000;

/** What `bun test` says of such files, two at a time as the whole run does it. */
function outcomeOfFiles(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "outcome-"));
  try {
    for (const [name, body] of Object.entries(files)) {
      writeFileSync(join(folder, `${name}.test.ts`), `import { expect, test } from "bun:test";\n${body}`);
    }
    const { stderr, exitCode } = Bun.spawnSync([process.execPath, "test", "--parallel=2"], { cwd: folder });
    return outcomeOf(stderr.toString(), exitCode);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const GOOD = `test("holds", () => expect(1).toBe(1));`;

describe("a run of the tests", () => {
  test(
    "passes if every test of every file does",
    () => {
      expect(outcomeOfFiles({ a: GOOD, b: GOOD })).toEqual({ passed: 2, failed: 0, skipped: 0 });
    },
    TIMEOUT_MS,
  );

  test(
    "fails if a test fails, a file does not load, or a process dies in the middle",
    () => {
      for (const bad of [
        `test("does not", () => expect(1).toBe(2));`,
        `import "./nowhere.ts";\n${GOOD}`,
        `test("kills", () => process.kill(process.pid, "SIGKILL"));`,
      ]) {
        expect(outcomeOfFiles({ a: GOOD, b: bad }).failed).toBeGreaterThan(0);
      }
    },
    TIMEOUT_MS,
  );

  test("fails if it ends badly although no test failed", () => {
    expect(outcomeOf(" 3 pass\n 0 fail\n", 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
    expect(outcomeOf("", null).failed).toBe(1);
  });

  test("says at its end how many passed and failed in all its parts", () => {
    const parts = [
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 3, failed: 1, skipped: 0 },
    ];
    expect(closingLine(sumOf(parts))).toBe("4 passed, 1 failed");
    expect(closingLine({ passed: 4, failed: 0, skipped: 2 })).toBe("2 skipped\n4 passed, 0 failed");
  });
});
