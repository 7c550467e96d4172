import { expect, test } from "bun:test";
import { queueFamilies } from "../../../src/server/features/monitoring/queue-families.ts";
import { encodeOpenMetrics } from "../../../src/server/metrics/open-metrics.ts";
import { RequestMeter } from "../../../src/server/metrics/request-meter.ts";
import { readOpenMetrics } from "../../support/read-open-metrics.ts";

test("a label keeps quotes, backslashes and line breaks", () => {
  const queue = 'a "b" \\ \n c\\n';
  const text = encodeOpenMetrics([
    {
      name: "x",
      type: "gauge",
      help: 'of "x" \\ and\nmore',
      samples: [{ labels: { queue }, value: 1.5e-7 }],
    },
  ]);
  expect(text).toBe(
    '# TYPE x gauge\n# HELP x of \\"x\\" \\\\ and\\nmore\nx{queue="a \\"b\\" \\\\ \\n c\\\\n"} 1.5e-7\n# EOF\n',
  );
  expect(readOpenMetrics(text)[0]?.samples).toEqual([{ name: "x", labels: { queue }, value: 1.5e-7 }]);
});

test("requests are counted by method, route and status class, and their seconds in cumulative buckets", () => {
  const meter = new RequestMeter();
  meter.count("GET", "/api/x/:id", 200, 0.01);
  meter.count("GET", "/api/x/:id", 404, 0.02);
  meter.count("GET", "/api/x/:id", 499, 0.9);
  meter.count("PROPFIND", "/api/x/:id", 200, 99);
  const [requests, seconds] = readOpenMetrics(encodeOpenMetrics(meter.families()));
  const route = "/api/x/:id";
  expect(requests?.samples.map(({ labels, value }) => [labels, value])).toEqual([
    [{ method: "GET", route, status: "2xx" }, 1],
    [{ method: "GET", route, status: "4xx" }, 2],
    [{ method: "other", route, status: "2xx" }, 1],
  ]);
  const buckets = seconds?.samples.filter(({ name }) => name.endsWith("_bucket"));
  expect(buckets?.map(({ labels, value }) => [labels.le, value])).toEqual([
    ["0.01", 1],
    ["0.05", 2],
    ["0.25", 2],
    ["1.0", 3],
    ["5.0", 3],
    ["30.0", 3],
    ["+Inf", 4],
  ]);
  expect(seconds?.samples.at(-1)?.value).toBeCloseTo(99.93);
});

test("the number of series is bounded, however many methods, routes and queues there are", () => {
  const meter = new RequestMeter();
  for (let n = 0; n < 5_000; n++) meter.count(`M${n}`, `/r${n}`, n, 1);
  const [requests, seconds] = meter.families();
  expect(requests?.samples.length).toBeLessThan(300);
  expect(seconds?.samples.length).toBeLessThan(300);
  const depths = Array.from({ length: 5_000 }, (_, n) => ({
    ...{ name: `transfer.node-${n}`, waiting: 1, delayed: 0, active: 0, oldestSeconds: n },
  }));
  const [jobs, ages] = queueFamilies(depths);
  expect(jobs?.samples.length).toBeLessThan(400);
  expect(ages?.samples).toContainEqual({ labels: { queue: "other" }, value: 4_999 });
});

test("the queues that each node has for itself count as one", () => {
  const of = (name: string, oldestSeconds: number) => ({
    ...{ name, waiting: 2, delayed: 1, active: 3, oldestSeconds },
  });
  const [jobs, ages] = queueFamilies([
    of(`transfer.${Bun.randomUUIDv7()}`, 5),
    of(`transfer.${Bun.randomUUIDv7()}`, 9),
  ]);
  expect(jobs?.samples).toEqual([
    { labels: { queue: "transfer", state: "waiting" }, value: 4 },
    { labels: { queue: "transfer", state: "delayed" }, value: 2 },
    { labels: { queue: "transfer", state: "active" }, value: 6 },
  ]);
  expect(ages?.samples).toEqual([{ labels: { queue: "transfer" }, value: 9 }]);
});
