import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { ViewerToken } from "../../../src/shared/api/studies.ts";
import { launchBrowser } from "../../../test/support/browser/browser.ts";
import { isPicture, lookAtImage } from "../../../test/support/browser/viewer-canvas.ts";
import { type ApiClient, adminClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { type Line, openPhone, type Phone, type Seen, SLOW, seenOn, TEN_MBIT } from "../phone.ts";
import type { Result } from "../result.ts";
import { startServerUnderTest } from "../server-under-test.ts";
import { median, percentile } from "../statistics.ts";
import { frameUrls, waitForCopy } from "./derivatives.ts";
import { measureScrolling } from "./viewer-scroll.ts";
import { atMost, showList, tapExam } from "./viewer-steps.ts";

const ROUNDS = 5;
const JUMPS = 12;
/** A list that a person has looked at for this long is idle. */
const IDLE_MS = 6_000;
const MB = 1e6;

/** Opens a CT of 1,000 slices on a phone: our own viewer and, beside it, OHIF. */
export async function* measureViewer(run: BenchRun): AsyncGenerator<Result> {
  await using server = await startServerUnderTest(join(run.folder, "viewed"), { derivatives: "on" });
  const { url } = server;
  const admin = await adminClient(url);
  const isShort = process.env.BENCH_SLICES === "200";
  const { answer } = await admin.upload(await (isShort ? run.corpora.short() : run.corpora.stored()));
  await admin.settle(answer);
  const [study] = answer.studies;
  await waitForCopy(await frameUrls(url, admin, study));
  const id = study?.id ?? "";
  const count = isShort ? 200 : 1_000;
  await post(url, "/api/users/accept-terms", admin);
  await using browser = await startBrowser();
  const ohif = () => openOhif(browser.browser, { url, admin, id });
  const parts: Record<string, () => AsyncGenerator<Result>> = {
    opening: () => measureOpening(browser.browser, { url, admin, id, line: TEN_MBIT }),
    slow: () => measureOpening(browser.browser, { url, admin, id, line: SLOW }),
    link: () => measureLink(browser.browser, { url, admin, id }),
    jumps: () => measureJumps(browser.browser, { url, admin, count }),
    scrolling: () => measureScrolling({ url, browser: browser.browser, admin, count, ohif }),
  };
  const wanted = process.env.BENCH_VIEWER?.split(",") ?? Object.keys(parts);
  for (const [name, measure] of Object.entries(parts)) if (wanted.includes(name)) yield* measure();
}

interface Place {
  url: string;
  admin: ApiClient;
  id: string;
}

async function startBrowser(): Promise<AsyncDisposable & { browser: Browser }> {
  const browser = await launchBrowser();
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

async function post(url: string, path: string, { headers }: ApiClient, body?: object): Promise<Response> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

async function* measureOpening(
  browser: Browser,
  { url, admin, id, line }: Place & { line: Line },
): AsyncGenerator<Result> {
  const cold: Awaited<ReturnType<typeof tapExam>>[] = [];
  const warm: typeof cold = [];
  const ohif: { milliseconds: number; bytes: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using phone = await openPhone(browser, admin.token);
    await phone.connect(line);
    await showList(phone, url);
    await Bun.sleep(IDLE_MS);
    cold.push(await tapExam(phone));
    await phone.page.getByRole("button", { name: "Voltar" }).tap();
    await phone.page.locator(".visor").waitFor({ state: "detached" });
    warm.push(await tapExam(phone));
    if (round > 0) continue;
    await using other = await openOhif(browser, { url, admin, id, line });
    ohif.push(other);
  }
  const limit = line === TEN_MBIT ? 500 : 1_500;
  const beside = (bytes: boolean) => ({
    what: "OHIF, cold",
    value: bytes ? (ohif[0]?.bytes ?? 0) / MB : (ohif[0]?.milliseconds ?? 0),
  });
  const name = line.name;
  const of = (from: typeof cold, what: keyof Required<Seen>) => median(from.map((seen) => seen[what]));
  yield {
    measure: "viewer.preview",
    title: `preview after the tap, cold, ${name}`,
    value: of(cold, "preview"),
    unit: "ms",
    limit: beside(false),
    ...atMost(limit, "ms"),
  };
  yield {
    measure: "viewer.image",
    title: `image after the tap, cold, ${name}`,
    value: of(cold, "image"),
    unit: "ms",
    limit: beside(false),
    ...atMost(limit, "ms"),
  };
  yield {
    measure: "viewer.image",
    title: `image after the tap, warm, ${name}`,
    value: of(warm, "image"),
    unit: "ms",
    ...atMost(limit, "ms"),
  };
  yield {
    measure: "viewer.sharp",
    title: `whole image after the tap, cold, ${name}`,
    value: of(cold, "sharp"),
    unit: "ms",
    limit: beside(false),
  };
  yield {
    measure: "viewer.bytes",
    title: `from tap to whole image, cold, ${name}`,
    value: median(cold.map(({ bytes }) => bytes / MB)),
    unit: "MB",
    limit: beside(true),
  };
}

interface OpenOhif extends AsyncDisposable {
  phone: Phone;
  milliseconds: number;
  bytes: number;
}

/** OHIF in a page of its own, from its address to its first image; without a line over the loopback. */
async function openOhif(
  browser: Browser,
  { url, admin, id, line }: Place & { line?: Line },
): Promise<OpenOhif> {
  const data = Buffer.from(JSON.stringify([{ userId: admin.userId, id }])).toString("base64url");
  const { url: address } = await admin.json<ViewerToken>(`/generate-token?data=${data}`);
  const phone = await openPhone(browser);
  await phone.connect(line);
  const begun = performance.now();
  await phone.page.goto(new URL(address, url).href, { waitUntil: "commit" });
  const sight = await lookAtImage(phone.page, { timeoutMs: 180_000 });
  if (!isPicture(sight)) throw new Error("OHIF drew nothing");
  const milliseconds = performance.now() - begun;
  return {
    phone,
    milliseconds,
    bytes: phone.takeBytes(),
    [Symbol.asyncDispose]: () => phone[Symbol.asyncDispose](),
  };
}

async function* measureLink(browser: Browser, { url, admin, id }: Place): AsyncGenerator<Result> {
  const { url: address } = (await (await post(url, "/api/links", admin, { studyIds: [id] })).json()) as {
    url: string;
  };
  const { pathname, hash } = new URL(address);
  const totals: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using phone = await openPhone(browser);
    await phone.connect(TEN_MBIT);
    const begun = performance.now();
    await phone.page.goto(`${url}${pathname}${hash}`, { waitUntil: "commit" });
    await phone.tap("button", "Ver imagens");
    await seenOn(phone);
    totals.push(performance.now() - begun);
  }
  yield {
    measure: "viewer.link",
    title: `shared link, from its address over its page to the image, cold, ${TEN_MBIT.name}`,
    value: median(totals),
    unit: "ms",
    ...atMost(2_000, "ms"),
  };
}

/** Jumps to slices that are not there yet. */
async function* measureJumps(
  browser: Browser,
  { url, admin, count }: Pick<Place, "url" | "admin"> & { count: number },
): AsyncGenerator<Result> {
  await using phone = await openPhone(browser, admin.token);
  await phone.connect(TEN_MBIT);
  await showList(phone, url);
  await tapExam(phone);
  const box = await phone.page.locator(".visor-slider").boundingBox();
  if (!box) throw new Error("no slider");
  const times: Required<Seen>[] = [];
  for (let jump = 0; jump < JUMPS; jump++) {
    const share = ((jump * 0.382 + 0.1) % 1) * 0.96 + 0.02;
    await phone.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height * share);
    times.push(await seenOn(phone));
  }
  for (const [what, name, limit] of [
    ["image", "as preview", 150],
    ["sharp", "sharp", 400],
  ] as const) {
    const sorted = times.map((seen) => seen[what]);
    yield {
      measure: `viewer.jump.${what}`,
      title: `any slice of ${count}, ${name}, ${TEN_MBIT.name}, median`,
      value: median(sorted),
      unit: "ms",
      ...atMost(limit, "ms"),
      details: { p90: Math.round(percentile(sorted, 0.9)) },
    };
  }
}
