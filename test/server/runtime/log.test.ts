import { expect, test } from "bun:test";
import { createLogger, describeError, type LogLevel } from "../../../src/server/runtime/log.ts";

function collect(level: LogLevel) {
  const lines: string[] = [];
  const now = () => new Date("2026-01-02T03:04:05Z");
  return { lines, log: createLogger({ level, write: (line) => lines.push(line), now }) };
}

test("each event is one line of JSON", () => {
  const { lines, log } = collect("info");
  log.info("upload.committed", { instances: 3, note: "two\nlines" });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toContain("\n");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-01-02T03:04:05.000Z",
    level: "info",
    event: "upload.committed",
    instances: 3,
    note: "two\nlines",
  });
});

test("a field can't replace the event, its level or its time", () => {
  const { lines, log } = collect("info");
  log.warn("real", { event: "forged", level: "info", time: "never" });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ event: "real", level: "warn" });
});

test("events below the level are left out", () => {
  const { lines, log } = collect("warn");
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(["c", "d"]);
});

test("the log has an error's class, code and place, but not its message, which may name a patient", () => {
  const cause = Object.assign(new TypeError("Key (name)=(Maria)"), { code: "23505" });
  const described = describeError(new Error("Failed query: Maria", { cause }));
  expect(described).toMatchObject({ error: "Error", cause: "TypeError", causeCode: "23505" });
  expect(described.frames).not.toBeEmpty();
  expect(JSON.stringify(described)).not.toContain("Maria");
});

test("a message of several lines doesn't slip into the log as a place in the code", () => {
  const described = describeError(new Error("first\n    at Maria Gonçalves"));
  expect(JSON.stringify(described)).not.toContain("Maria");
});
