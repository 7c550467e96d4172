import { studySorts } from "../../../src/shared/api/studies.ts";
import type { ApiClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { cpuSeconds } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { type SeededAccount, seedStudies } from "../seed-studies.ts";
import { percentile } from "../statistics.ts";

const LIST_SECONDS = 2;
const LISTED_STUDIES = 100_000;
const FIRST_SEARCHES = 40;
const FIRST_TARGET = { target: { of: "value", atMost: 25 }, targetText: "≤ 25 ms" } as const;
const TARGET = { target: { of: "value", atMost: 10 }, targetText: "≤ 10 ms" } as const;

const pages = (query: string) =>
  Array.from({ length: 20 }, (_, index) => `${query}&offset=${50 * (index + 1)}`);
const sorts = Object.fromEntries(
  studySorts.flatMap((sort) =>
    (["asc", "desc"] as const).map((order) => {
      const query = `sort=${sort}&order=${order}`;
      return [`by ${sort}, ${order}`, [query, `${query}&offset=150`]];
    }),
  ),
);
const filters: Record<string, string[]> = {
  "patient name, common": ["patientName=silva", "patientName=joao", "patientName=maria", "patientName=a"],
  "patient name, some": ["patientName=muller", "patientName=kowalczyk", "patientName=jose+silva"],
  "patient name, rare": ["patientName=zoroastro"],
  "patient ID": ["patientID=PAC-004242", "patientID=4711"],
  "patient ID, common": ["patientID=pac", "patientID=00"],
  accession: ["accessionNumber=20055555"],
  "accession, common": ["accessionNumber=20", "accessionNumber=2005"],
  "description, common": ["description=torax", "description=rx"],
  "description, rare": ["description=colangio", "description=escanometria"],
  "modality, common": ["modality=CT", "modality=US", "modality=CR"],
  "modality, rare": ["modality=XA", "modality=PT"],
  "dates, a month": ["startDate=2025-03-01&endDate=2025-03-31"],
  "dates, years": ["startDate=2018-01-01&endDate=2022-12-31"],
  "dates, open": ["startDate=2020-01-01", "endDate=2022-06-30"],
  "search, common": ["search=silva", "search=maria", "search=TC", "search=torax"],
  "search, some": ["search=muller", "search=jose+silva+tc"],
  "search, rare": ["search=zoroastro", "search=20055555", "search=colangio"],
  "name and modality": ["patientName=souza&modality=CT"],
  "name, dates and modality": ["patientName=ana&modality=US&startDate=2021-01-01&endDate=2024-12-31"],
  "nothing found": ["description=torax&modality=US"],
  "name, by name": ["patientName=lima&sort=patientName&order=asc"],
  "modality, by instances": ["modality=MR&sort=imagesReceived"],
};
const cases: Record<string, string[]> = {
  newest: [""],
  "newest, pages 2 to 21": pages(""),
  "name, pages 2 to 21": pages("patientName=silva"),
  ...sorts,
  ...filters,
};

/** Lists 50 of the 100,000 studies of one account: sorted, filtered, then by searches that were never counted before. */
export async function* measureList(run: BenchRun): AsyncGenerator<Result> {
  const { url, dataDir, pid } = await run.server();
  await using account = await seedStudies({ url, dataDir, count: LISTED_STUDIES });
  const { client } = account;
  const load = (urls: string[]) =>
    run.load.run({ urls, headers: client.headers, connections: 1, seconds: LIST_SECONDS });
  for (const [name, queries] of Object.entries(cases)) {
    const urls = queries.map((query) => listUrl(url, query));
    const totals = await Promise.all(urls.slice(0, 4).map((one) => totalOf(one, client)));
    // The cost of the shortest signed-in call at the same moment.
    const floor = await load([`${url}/api/users/exam-count`]);
    const cpuBefore = cpuSeconds(pid);
    const figures = await load(urls);
    const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1000;
    yield {
      measure: `list.${name}`,
      title: `list, ${name} (${[...new Set(totals)].join(", ")} match), p95`,
      value: figures.p95Ms,
      unit: "ms",
      limit: { what: "a call that reads one number", value: floor.p95Ms },
      ...TARGET,
      details: {
        p50Ms: figures.p50Ms,
        // CPU time of the whole server with PostgreSQL, which does not depend on the machine's other load.
        cpuMs: cpuMs / (figures.requestsPerSecond * LIST_SECONDS),
        failures: figures.failures,
      },
    };
  }
  for (const [name, [query = ""]] of Object.entries(filters)) {
    yield await measureFirstSearch(account, name, listUrl(url, query));
  }
}

function listUrl(url: string, query: string): string {
  return `${url}/api/studies?limit=50&${query}`;
}

async function totalOf(url: string, { headers }: ApiClient): Promise<string> {
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.headers.get("x-total-count") ?? "";
}

/** The account changes before each search, so that the matching studies must be counted again. */
async function measureFirstSearch(account: SeededAccount, name: string, url: string): Promise<Result> {
  const durationsMs: number[] = [];
  for (let search = 0; search < FIRST_SEARCHES; search++) {
    await account.change();
    const startedAt = performance.now();
    await totalOf(url, account.client);
    durationsMs.push(performance.now() - startedAt);
  }
  return {
    measure: `list.first.${name}`,
    title: `list, ${name}, first after a change, p95`,
    value: percentile(durationsMs, 0.95),
    unit: "ms",
    ...FIRST_TARGET,
    details: { p50Ms: percentile(durationsMs, 0.5) },
  };
}
