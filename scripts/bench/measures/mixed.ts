import type { Study } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { ApiClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { measureTree } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { percentile } from "../statistics.ts";

const MINUTES = Number(process.env.BENCH_MINUTES ?? 2);
const CLIENTS = 32;
const SAMPLE_MS = 5_000;
/** All clients share an account, which may send eight uploads at once. */
const MAX_UPLOADS_AT_ONCE = 6;
/** Deletions keep the archive at this size. */
const STUDIES_KEPT = 150;
const MEGABYTE = 1e6;

/** Kinds of requests, by how many of a hundred. */
const SHARES = {
  frame: 45,
  list: 20,
  search: 8,
  metadata: 8,
  thumbnail: 6,
  upload: 6,
  download: 4,
  delete: 3,
} as const;
type Kind = keyof typeof SHARES;
const DEAL = Object.entries(SHARES).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind));

/** One study that frames are read from. */
interface Shown {
  id: string;
  /** Paths below the server's address. */
  frames: string[];
  metadata: string;
}

/** Thirty-two clients who upload, list, view, download and delete; memory over the time, and each kind's slowest. */
export async function* measureMixedLoad(run: BenchRun): AsyncGenerator<Result> {
  const { url, pid } = await run.server();
  const admin = await run.admin();
  const zips = [...(await run.corpora.small(0)), ...(await run.corpora.small(1))];
  const shown: Shown[] = [];
  for (const zip of zips.slice(0, 10)) {
    const { answer } = await admin.upload(zip);
    await admin.settle(answer);
    shown.push(await show(admin, answer.studies));
  }
  const durationsMs = new Map<Kind, number[]>(Object.keys(SHARES).map((kind) => [kind as Kind, []]));
  const failures: Record<string, number> = {};
  let uploads = 0;
  let uploadsUnderWay = 0;
  const deleted = new Set<string>();

  async function ask(path: string, method = "GET"): Promise<void> {
    const answer = await fetch(url + path, { method, headers: admin.headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method} ${answer.status}`);
  }
  const works: Record<Kind, () => Promise<void>> = {
    frame: () => ask(any(any(shown)?.frames ?? []) ?? ""),
    metadata: () => ask(any(shown)?.metadata ?? ""),
    list: () => ask("/api/studies?limit=50"),
    search: () => ask("/api/studies?limit=50&patientName=joao"),
    thumbnail: () => ask(`/api/studies/${any(shown)?.id}/thumbnail`),
    download: () => ask(`/api/studies/${any(shown)?.id}/download`),
    async upload() {
      uploadsUnderWay++;
      await admin.upload(zips[10 + (uploads++ % (zips.length - 10))] ?? "").finally(() => uploadsUnderWay--);
    },
    async delete() {
      const studies = await admin.json<Study[]>("/api/studies?limit=200");
      const isShown = new Set(shown.map(({ id }) => id));
      const study = any(studies.filter(({ id }) => !isShown.has(id) && !deleted.has(id)));
      if (!study || studies.length <= STUDIES_KEPT) return;
      deleted.add(study.id);
      await ask(`/api/studies/${study.id}`, "DELETE");
    },
  };
  const endsAt = performance.now() + MINUTES * 60_000;
  const client = async () => {
    while (performance.now() < endsAt) {
      const kind = any(DEAL) ?? "list";
      if (kind === "upload" && uploadsUnderWay >= MAX_UPLOADS_AT_ONCE) continue;
      const startedAt = performance.now();
      try {
        await works[kind]();
      } catch (error) {
        const said = `${kind}: ${error instanceof Error ? error.message.slice(0, 60) : "failed"}`;
        failures[said] = (failures[said] ?? 0) + 1;
      }
      durationsMs.get(kind)?.push(performance.now() - startedAt);
    }
  };
  const samples: { minutes: number; megabytes: number }[] = [];
  const beganAt = performance.now();
  const timer = setInterval(() => {
    const megabytes = measureTree(pid).pssBytes / MEGABYTE;
    samples.push({ minutes: (performance.now() - beganAt) / 60_000, megabytes });
  }, SAMPLE_MS);
  await Promise.all(Array.from({ length: CLIENTS }, client));
  clearInterval(timer);

  const requests = [...durationsMs.values()].reduce((sum, { length }) => sum + length, 0);
  yield {
    measure: "mixed.failures",
    title: `failures among ${requests} requests of ${CLIENTS} clients in ${MINUTES} minutes`,
    value: Object.values(failures).reduce((sum, count) => sum + count, 0),
    unit: "requests",
    target: { of: "value", atMost: 0 },
    targetText: "none",
    details: failures,
  };
  const settled = samples.filter(({ minutes }) => minutes > MINUTES / 3);
  yield {
    measure: "mixed.memory",
    title: "memory of the whole tree under mixed load: growth after the first third (PSS)",
    value: slopeOf(settled),
    unit: "MB/min",
    details: { largestMB: Math.round(Math.max(...samples.map(({ megabytes }) => megabytes))) },
  };
  for (const [kind, times] of durationsMs) {
    const value = percentile(times, 0.95);
    const details = { p50Ms: percentile(times, 0.5), requests: times.length };
    yield { measure: `mixed.${kind}`, title: `mixed load: ${kind}, p95`, value, unit: "ms", details };
  }
}

async function show(admin: ApiClient, studies: { id: string; studyInstanceUID: string }[]): Promise<Shown> {
  const [study] = studies;
  if (!study) throw new Error("the corpus holds no study");
  const base = `${await admin.dicomweb(study.id)}/studies/${study.studyInstanceUID}`;
  const metadata = await admin.json<Record<string, { Value?: string[] }>[]>(`${base}/metadata`);
  const frames = metadata.map((instance) => {
    const value = (tag: string) => instance[tag]?.Value?.[0];
    return `${base}/series/${value(TagHex.SeriesInstanceUID)}/instances/${value(TagHex.SOPInstanceUID)}/frames/1`;
  });
  return { id: study.id, frames, metadata: `${base}/metadata` };
}

function any<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

/** Megabytes a minute, by least squares. */
function slopeOf(samples: readonly { minutes: number; megabytes: number }[]): number {
  const mean = (of: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const minutes = mean((sample) => sample.minutes);
  const megabytes = mean((sample) => sample.megabytes);
  const covariance = mean((sample) => (sample.minutes - minutes) * (sample.megabytes - megabytes));
  return covariance / mean((sample) => (sample.minutes - minutes) ** 2);
}
