import type { LoadFigures, LoadOptions } from "./load.ts";
import { percentile } from "./statistics.ts";

/** The load generator where wrk is missing: `load-client.ts OPTIONS.json`. */
const options = (await Bun.file(process.argv[2] ?? "").json()) as LoadOptions;
const { urls, headers, connections, seconds } = options;
const durationsMs: number[] = [];
let failures = 0;
const endsAt = performance.now() + seconds * 1000;

async function askUntilTheEnd(): Promise<void> {
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    const answer = await fetch(urls[Math.floor(Math.random() * urls.length)] ?? "", { headers });
    await answer.arrayBuffer();
    if (!answer.ok) failures++;
    durationsMs.push(performance.now() - startedAt);
  }
}

await Promise.all(Array.from({ length: connections }, askUntilTheEnd));
const figures: LoadFigures = {
  requestsPerSecond: durationsMs.length / seconds,
  p50Ms: percentile(durationsMs, 0.5),
  p95Ms: percentile(durationsMs, 0.95),
  failures,
};
console.log(`FIGURES ${JSON.stringify(figures)}`);
