import type { BenchRun } from "../bench-run.ts";
import type { Result } from "../result.ts";
import { seedStudies } from "../seed-studies.ts";

const LIST_SECONDS = 3;
const LISTED_STUDIES = 100_000;
const LIST_FILTERS = {
  newest: [""],
  "patient name": [
    "patientName=joao",
    "patientName=silva",
    "patientName=conceicao",
    "patientName=ana+pereira",
  ],
  "patient name, rare": ["patientName=zoroastro"],
  "patient ID": ["patientID=PAC-004242", "patientID=4711"],
  accession: ["accessionNumber=20055555"],
  description: ["description=cranio", "description=torax"],
  modality: ["modality=MR", "modality=US"],
  "date range": ["startDate=2025-03-01&endDate=2025-03-31"],
  "name and modality": ["patientName=souza&modality=CT"],
  "name, by name": ["patientName=lima&sort=patientName&order=asc"],
} as const;

/** The first 50 of 100,000 studies of one account, filtered as the list's search does. */
export async function* measureList(run: BenchRun): AsyncGenerator<Result> {
  const { url, dataDir } = await run.server();
  const client = await seedStudies({ url, dataDir, count: LISTED_STUDIES });
  for (const [name, filters] of Object.entries(LIST_FILTERS)) {
    const urls = filters.map((filter) => `${url}/api/studies?limit=50&${filter}`);
    const total =
      (await fetch(urls[0] ?? "", { headers: client.headers })).headers.get("x-total-count") ?? "";
    const figures = await run.load.run({
      urls,
      headers: client.headers,
      connections: 1,
      seconds: LIST_SECONDS,
    });
    yield {
      measure: `list.${name}`,
      title: `list, 50 of 100,000, ${name} (${total} match), p95`,
      value: figures.p95Ms,
      unit: "ms",
      target: { of: "value", atMost: 10 },
      targetText: "≤ 10 ms",
      details: { p50Ms: figures.p50Ms, failures: figures.failures },
    };
  }
}
