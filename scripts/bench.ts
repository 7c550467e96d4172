import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBenchRun, type Measure } from "./bench/bench-run.ts";
import { measureDerivatives } from "./bench/measures/derivatives.ts";
import { measureHostileReading } from "./bench/measures/hostile.ts";
import {
  measureBytesAtRest,
  measureIngest,
  measureMemory,
  measureSmallUploads,
} from "./bench/measures/ingest.ts";
import { measureLine } from "./bench/measures/line.ts";
import { measureList } from "./bench/measures/list.ts";
import { measureMixedLoad } from "./bench/measures/mixed.ts";
import { measureQido } from "./bench/measures/qido.ts";
import { measureDownload, measureFrames, measureMetadata } from "./bench/measures/reading.ts";
import { measureResumable } from "./bench/measures/resumable.ts";
import { measureSafekeeping } from "./bench/measures/safekeeping.ts";
import { measureStart } from "./bench/measures/start.ts";
import { measureViewer } from "./bench/measures/viewer.ts";
import { jsonLine, type Result, table } from "./bench/result.ts";
import { ensureBuilt } from "./build/ensure-built.ts";

/** The order matters: measures that restart the server come last. */
const MEASURES: Record<string, Measure> = {
  ingest: measureIngest,
  memory: measureMemory,
  resumable: measureResumable,
  line: measureLine,
  small: measureSmallUploads,
  rest: measureBytesAtRest,
  download: measureDownload,
  metadata: measureMetadata,
  frames: measureFrames,
  derivatives: measureDerivatives,
  viewer: measureViewer,
  mixed: measureMixedLoad,
  safekeeping: measureSafekeeping,
  hostile: measureHostileReading,
  list: measureList,
  qido: measureQido,
  start: measureStart,
};

const USAGE = `Usage: bun run bench [${Object.keys(MEASURES).join(" | ")}]...

  BENCH_CORPUS      a folder with ct1000-store.zip, ct1000-deflate.zip, big1-store.zip, split100/
  BENCH_MINUTES     how long the mixed load lasts (default: 2)
  BENCH_LINE        "large" sends 2.1 GB over the slow line, in a quarter of an hour
  BENCH_GB          how much is backed up (default: 2)
  BENCH_SLICES      200: the viewer's exam has 200 slices instead of 1,000
  BENCH_VIEWER      parts of "viewer": opening,slow,link,jumps,scrolling (default: all)
  BENCH_EXECUTABLE  measure this executable instead of the source
  BENCH_DIR         where corpora and data go (default: the system's temporary folder)`;

async function bench(names: string[]): Promise<number> {
  const wanted = names.length > 0 ? names : Object.keys(MEASURES);
  if (wanted.some((name) => !Object.hasOwn(MEASURES, name))) {
    console.error(USAGE);
    return 2;
  }
  if (!process.env.BENCH_EXECUTABLE) ensureBuilt();
  const parent = process.env.BENCH_DIR ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "exameteca-bench-"));
  // Started by root, PostgreSQL runs as another user, who must get through to the data.
  await chmod(folder, 0o711);
  const results: Result[] = [];
  try {
    await using run = createBenchRun(folder, process.env.BENCH_CORPUS);
    for (const [name, measure] of Object.entries(MEASURES)) {
      if (!wanted.includes(name)) continue;
      for await (const result of measure(run)) {
        results.push(result);
        console.log(jsonLine(result));
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`\n${table(results)}`);
  return 0;
}

process.exit(await bench(process.argv.slice(2)));
