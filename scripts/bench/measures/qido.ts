import type { BenchRun } from "../bench-run.ts";
import { cpuSeconds } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { type SeededAccount, seedStudies } from "../seed-studies.ts";

const SEARCH_SECONDS = 2;
const SMALL_ARCHIVE = 10_000;
const LARGE_ARCHIVE = 100_000;
const MAX_MS = 20;
const MAX_GROWTH = 1.5;

/** Searches by indexed attributes, those of PS3.18 tables 10.6.1-5 that people and programs use. */
const searches: Record<string, string[]> = {
  "studies, newest": ["studies?limit=50"],
  "studies, page 20": ["studies?limit=50&offset=950"],
  "studies of a patient": ["studies?PatientID=PAC-000042&limit=50", "studies?PatientID=PAC-004242&limit=50"],
  "studies by accession number": ["studies?AccessionNumber=20005555&limit=50"],
  "studies by name, common": ["studies?PatientName=SILVA*&limit=50", "studies?PatientName=*maria*&limit=50"],
  "studies by name, rare": ["studies?PatientName=*zoroastro*&limit=50"],
  "studies by name, none": ["studies?PatientName=*nabucodonosor*&limit=50"],
  "studies by name, fuzzy": ["studies?PatientName=muller&fuzzymatching=true&limit=50"],
  "studies of a month": ["studies?StudyDate=20250301-20250331&limit=50"],
  "studies by modality": ["studies?ModalitiesInStudy=CT&limit=50", "studies?ModalitiesInStudy=XA&limit=50"],
  "studies by modality and month": ["studies?ModalitiesInStudy=MR&StudyDate=20250301-20250331&limit=50"],
  "studies by description": ["studies?StudyDescription=*colangio*&limit=50"],
  "series, newest": ["series?limit=50"],
  "series of a patient": ["series?PatientID=PAC-000042&limit=50"],
  "series by modality and month": ["series?Modality=MR&StudyDate=20250301-20250331&limit=50"],
};

/** QIDO-RS over an account of 100,000 studies, and over one of 10,000 before and after the archive grew by those. */
export async function* measureQido(run: BenchRun): AsyncGenerator<Result> {
  const { url, dataDir, pid } = await run.server();
  const seed = (count: number) => seedStudies({ url, dataDir, count, withSeries: true });
  const measure = async (account: SeededAccount, paths: string[]) => {
    const urls = paths.map((path) => `${url}/dicomweb/${path}`);
    const cpuBefore = cpuSeconds(pid);
    const headers = { ...account.client.headers, Accept: "application/dicom+json" };
    const figures = await run.load.run({ urls, headers, connections: 1, seconds: SEARCH_SECONDS });
    const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1000) / (figures.requestsPerSecond * SEARCH_SECONDS);
    return { ...figures, cpuMs };
  };
  await using small = await seed(SMALL_ARCHIVE);
  const before = new Map<string, number>();
  for (const [name, paths] of Object.entries(searches)) {
    before.set(name, (await measure(small, paths)).p50Ms);
  }
  await using large = await seed(LARGE_ARCHIVE);
  for (const [name, paths] of Object.entries(searches)) {
    const { p50Ms, p95Ms, cpuMs, failures } = await measure(large, paths);
    yield {
      measure: `qido.${name}`,
      title: `QIDO-RS ${name}, 100,000 studies, p95`,
      value: p95Ms,
      unit: "ms",
      target: { of: "value", atMost: MAX_MS },
      targetText: `≤ ${MAX_MS} ms`,
      details: { p50Ms, cpuMs, failures },
    };
    const after = (await measure(small, paths)).p50Ms;
    const growth = after / (before.get(name) ?? after);
    yield {
      measure: `qido.growth.${name}`,
      title: `QIDO-RS ${name}, 10,000 studies, p50 after the archive grew, to before`,
      value: growth,
      unit: "×",
      target: { of: "value", atMost: MAX_GROWTH },
      targetText: `≤ ${MAX_GROWTH}×`,
      details: { afterMs: after },
    };
  }
}
