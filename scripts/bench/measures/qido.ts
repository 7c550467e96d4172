import type { BenchRun } from "../bench-run.ts";
import { cpuSeconds } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { instanceUID, seriesUID } from "../seed-instances.ts";
import { type SeededAccount, seedStudies } from "../seed-studies.ts";
import { groupedPopulation } from "../study-population.ts";

const SEARCH_SECONDS = 2;
const SMALL_ARCHIVE = 10_000;
const LARGE_ARCHIVE = 100_000;
const MAX_MS = 20;
const MAX_GROWTH = 1.5;

/**
 * Searches by indexed attributes, those of PS3.18 tables 10.6.1-5 that people and programs use. What is in braces is replaced by UIDs of
 * the account.
 */
const searches: Record<string, string[]> = {
  "studies, newest": ["studies?limit=50"],
  "studies, page 20": ["studies?limit=50&offset=950"],
  "study by UID": ["studies?StudyInstanceUID={study}"],
  "studies of a patient": ["studies?PatientID=PAC-000042&limit=50", "studies?PatientID=PAC-004242&limit=50"],
  "studies by accession number": ["studies?AccessionNumber=20005555&limit=50"],
  "studies by name, common": ["studies?PatientName=SILVA*&limit=50", "studies?PatientName=*maria*&limit=50"],
  "studies by name, rare": ["studies?PatientName=*zoroastro*&limit=50"],
  "studies by name, none": ["studies?PatientName=*nabucodonosor*&limit=50"],
  "studies by name, fuzzy": ["studies?PatientName=muller&fuzzymatching=true&limit=50"],
  "studies of a month": ["studies?StudyDate=20250301-20250331&limit=50"],
  "studies of an hour": ["studies?StudyTime=1000-1059&limit=50", "studies?StudyTime=100000&limit=50"],
  "studies by modality": ["studies?ModalitiesInStudy=CT&limit=50", "studies?ModalitiesInStudy=XA&limit=50"],
  "studies by modality and month": ["studies?ModalitiesInStudy=MR&StudyDate=20250301-20250331&limit=50"],
  "studies by description": ["studies?StudyDescription=*colangio*&limit=50"],
  "studies by referring physician, common": ["studies?ReferringPhysicianName=SILVA*&limit=50"],
  "studies by referring physician, rare": ["studies?ReferringPhysicianName=QUARESMA*&limit=50"],
  "studies by referring physician, none": ["studies?ReferringPhysicianName=NABUCO*&limit=50"],
  "studies by study ID": ["studies?StudyID=4242&limit=50"],
  "series, newest": ["series?limit=50"],
  "series of a study": ["studies/{study}/series"],
  "series by UID": ["series?SeriesInstanceUID={series}"],
  "series of a patient": ["series?PatientID=PAC-000042&limit=50"],
  "series by modality": ["series?Modality=CT&limit=50", "series?Modality=XA&limit=50"],
  "series by modality and month": ["series?Modality=MR&StudyDate=20250301-20250331&limit=50"],
  "series by number": ["series?SeriesNumber=3&limit=50"],
  "series of a day": ["series?PerformedProcedureStepStartDate=20250303&StudyDate=20250303&limit=50"],
  "series by request": [
    "series?RequestAttributesSequence.RequestedProcedureID=P20005555&AccessionNumber=20005555&limit=50",
  ],
  "instances, newest": ["instances?limit=50"],
  "instances of a study": ["studies/{study}/instances"],
  "instances of a series": ["studies/{study}/series/{series}/instances"],
  "instances of a patient": ["instances?PatientID=PAC-000042&limit=50"],
  "instances of a month by class": [
    "instances?StudyDate=20250301-20250331&SOPClassUID=1.2.840.10008.5.1.4.1.1.2&limit=50",
  ],
  "instance by UID in its series": ["studies/{study}/series/{series}/instances?SOPInstanceUID={instance}"],
  "instance by UID in its study": [
    "studies/{study}/instances?SOPInstanceUID={instance}",
    "instances?StudyInstanceUID={study}&SOPInstanceUID={instance}",
  ],
  "instance by number in its series": ["studies/{study}/series/{series}/instances?InstanceNumber=2"],
};

/** Searches of an account in which each name has an ideographic and a phonetic group. */
const groupSearches: Record<string, string[]> = {
  "a whole group": ["山田^太郎", "小鳥遊^柚葉", "木下^明"],
  "the beginning of a group": ["山田*", "小鳥遊*", "やまだ*", "木下*"],
  "a part of a group": ["*太郎*", "*柚葉*", "*下木*", "*かなし*"],
  "one letter": ["*渡*", "*柚*"],
  "the alphabetic group": ["yamada*", "takanashi*"],
  words: ["柚葉&fuzzymatching=true", "太郎 山田&fuzzymatching=true", "太 yamada&fuzzymatching=true"],
};

/**
 * QIDO-RS over an account of 100,000 studies with a million instances, and over one of 10,000 studies before and after the archive grew by
 * those.
 */
export async function* measureQido(run: BenchRun): AsyncGenerator<Result> {
  const { url, dataDir, pid } = await run.server();
  const seed = (count: number) => seedStudies({ url, dataDir, count, withInstances: true });
  const measure = async (account: SeededAccount, paths: string[]) => {
    const urls = paths.flatMap((path) => pathsIn(account, path)).map((path) => `${url}/dicomweb/${path}`);
    const cpuBefore = cpuSeconds(pid);
    const headers = { ...account.client.headers, Accept: "application/dicom+json" };
    const figures = await run.load.run({ urls, headers, connections: 1, seconds: SEARCH_SECONDS });
    const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1000) / (figures.requestsPerSecond * SEARCH_SECONDS);
    return { ...figures, cpuMs };
  };
  const limited = {
    unit: "ms",
    target: { of: "value", atMost: MAX_MS },
    targetText: `≤ ${MAX_MS} ms`,
  } as const;
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
      ...limited,
      details: { p50Ms, cpuMs, failures, toSmall: p50Ms / (before.get(name) ?? p50Ms) },
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
  const population = groupedPopulation;
  await using grouped = await seedStudies({
    url,
    dataDir,
    count: LARGE_ARCHIVE,
    population,
    withOthers: false,
  });
  for (const [name, names] of Object.entries(groupSearches)) {
    const paths = names.map((pattern) => `studies?PatientName=${encodeURI(pattern)}&limit=50`);
    const { p50Ms, p95Ms, cpuMs, failures } = await measure(grouped, paths);
    yield {
      measure: `qido.groups.${name}`,
      title: `QIDO-RS studies by ${name}, 100,000 names with groups, p95`,
      value: p95Ms,
      ...limited,
      details: { p50Ms, cpuMs, failures },
    };
  }
}

/** One path for each of some studies if it names one, else the path itself. */
function pathsIn({ someStudies }: SeededAccount, path: string): string[] {
  if (!path.includes("{")) return [path];
  return someStudies.map(({ studyInstanceUID }) =>
    path
      .replace("{study}", studyInstanceUID)
      .replace("{series}", seriesUID(studyInstanceUID, 1))
      .replace("{instance}", instanceUID(studyInstanceUID, 1, 2)),
  );
}
