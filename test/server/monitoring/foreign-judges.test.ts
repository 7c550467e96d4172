import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { readOpenMetrics } from "../../support/read-open-metrics.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/** Prometheus's own reader of OpenMetrics; prints each family with the number of its samples. */
const PARSE = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    print(family.name, len(family.samples))
`;
const ALERTS = join(import.meta.dir, "../../../deploy/prometheus-alerts.yml");

/** Debian's python has the package of the system's archive, whichever comes first on the PATH. */
const python = ["python3", "/usr/bin/python3"].find(
  (command) =>
    Bun.which(command) &&
    Bun.spawnSync([command, "-c", "import prometheus_client.openmetrics.parser"]).exitCode === 0,
);

let t: TestApp;
let text: string;
beforeAll(async () => {
  t = await createTestApp({ env: { METRICS_TOKEN: "token" } });
  const person = await t.addPerson('Nome com \\ e "aspas"');
  await t.store(person, sampleZip({ study: "1" }));
  await t.upload(person, new Uint8Array(10));
  const answer = await t.call("GET", "/metrics", { headers: { authorization: "Bearer token" } });
  text = await answer.text();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

test.skipIf(python === undefined)("Prometheus's own parser reads every family and sample", () => {
  const parsed = Bun.spawnSync([python ?? "", "-c", PARSE], { stdin: Buffer.from(text) });
  expect(parsed.stderr.toString()).toBe("");
  const families = readOpenMetrics(text).map(({ name, samples }) => `${name} ${samples.length}`);
  expect(parsed.stdout.toString().trim().split("\n")).toEqual(families);
});

test("the alert examples ask only for metrics and labels that there are", async () => {
  const families = new Map(readOpenMetrics(text).map((family) => [family.name, family]));
  const alerts = await Bun.file(ALERTS).text();
  const asked = [...alerts.matchAll(/\b(exameteca_\w+?)(?:_total)?\b(?:\{(\w+)=~?"([^"]+)"\})?/g)];
  expect(asked.length).toBeGreaterThan(10);
  for (const [, name = "", label, values = ""] of asked) {
    const family = families.get(name);
    expect(`${name} ${family !== undefined}`).toBe(`${name} true`);
    // A server that never failed has no sample of its failures yet.
    if (!label || values === "5xx") continue;
    const known = new Set(family?.samples.map(({ labels }) => labels[label]));
    for (const value of values.split("|")) expect([...known]).toContain(value);
  }
});

test.skipIf(!Bun.which("promtool"))("Prometheus takes the alert examples", () => {
  const checked = Bun.spawnSync(["promtool", "check", "rules", ALERTS]);
  expect(`${checked.exitCode} ${checked.stderr}`).toBe("0 ");
});
