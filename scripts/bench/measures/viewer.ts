import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { ViewerToken } from "../../../src/shared/api/studies.ts";
import { launchBrowser } from "../../../test/support/browser.ts";
import { isPicture, lookAtImage } from "../../../test/support/viewer-canvas.ts";
import { type ApiClient, adminClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { type Line, openPhone, type Phone, type Seen, SLOW, seenOn, TEN_MBIT } from "../phone.ts";
import type { Result } from "../result.ts";
import { startServerUnderTest } from "../server-under-test.ts";
import { median, percentile } from "../statistics.ts";
import { frameUrls, waitForCopy } from "./derivatives.ts";

const ROUNDS = 2;
const JUMPS = 12;
const SCROLL_MS = 60_000;
const CACHED_MS = 8_000;
/** A list that a person has looked at for this long is idle. */
const IDLE_MS = 6_000;
const MB = 1e6;

const atMost = (limit: number, unit: string) => ({
  target: { of: "value", atMost: limit } as const,
  targetText: `≤ ${limit} ${unit}`,
});

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
  const last = (isShort ? 200 : 1_000) - 1;
  await post(url, "/api/users/accept-terms", admin);
  await using browser = await startBrowser();
  for (const line of [TEN_MBIT, SLOW]) yield* measureOpening(browser.browser, { url, admin, id, line });
  yield* measureLink(browser.browser, { url, admin, id });
  yield* measureJumps(browser.browser, { url, admin });
  yield* measureScrolling(browser.browser, { url, admin, last });
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

const opener = (page: Page) => page.locator("[data-opens]:visible").first();

async function showList({ page }: Phone, url: string): Promise<void> {
  await page.goto(`${url}/his`);
  await page
    .getByRole("button", { name: /^Exames/ })
    .first()
    .tap();
  await opener(page).waitFor();
}

async function tapExam(phone: Phone): Promise<Required<Seen> & { bytes: number }> {
  phone.takeBytes();
  await opener(phone.page).tap();
  const seen = await seenOn(phone.page);
  return { ...seen, bytes: phone.takeBytes() };
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
    if (round === 0) ohif.push(await openOhif(browser, { url, admin, id, line }));
  }
  const limit = line === TEN_MBIT ? 500 : 1_500;
  const beside = (bytes: boolean) => ({
    what: "OHIF, cold",
    value: bytes ? (ohif[0]?.bytes ?? 0) / MB : (ohif[0]?.milliseconds ?? 0),
  });
  const name = line.name;
  const of = (from: typeof cold, what: "preview" | "image") => median(from.map((seen) => seen[what]));
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
    measure: "viewer.bytes",
    title: `from tap to image, cold, ${name}`,
    value: median(cold.map(({ bytes }) => bytes / MB)),
    unit: "MB",
    limit: beside(true),
  };
}

/** OHIF in a page of its own, from its address to its first image. */
async function openOhif(browser: Browser, { url, admin, id, line }: Place & { line: Line }) {
  const data = Buffer.from(JSON.stringify([{ userId: admin.userId, id }])).toString("base64url");
  const { url: address } = await admin.json<ViewerToken>(`/generate-token?data=${data}`);
  await using phone = await openPhone(browser);
  await phone.connect(line);
  const begun = performance.now();
  await phone.page.goto(new URL(address, url).href, { waitUntil: "commit" });
  const sight = await lookAtImage(phone.page, { timeoutMs: 180_000 });
  if (!isPicture(sight)) throw new Error("OHIF drew nothing");
  return { milliseconds: performance.now() - begun, bytes: phone.takeBytes() };
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
    await phone.page.getByRole("button", { name: "Ver imagens" }).tap();
    await seenOn(phone.page);
    totals.push(performance.now() - begun);
  }
  yield {
    measure: "viewer.link",
    title: `shared link, from its address over its page to the image, cold, ${TEN_MBIT.name}`,
    ...{ value: median(totals), unit: "ms" },
    ...atMost(2_000, "ms"),
  };
}

/** Jumps to slices that are not there yet. */
async function* measureJumps(
  browser: Browser,
  { url, admin }: Pick<Place, "url" | "admin">,
): AsyncGenerator<Result> {
  await using phone = await openPhone(browser, admin.token);
  await phone.connect(TEN_MBIT);
  await showList(phone, url);
  await tapExam(phone);
  const box = await phone.page.locator(".visor-slider").boundingBox();
  if (!box) throw new Error("no slider");
  const times: number[] = [];
  for (let jump = 0; jump < JUMPS; jump++) {
    const share = ((jump * 0.382 + 0.1) % 1) * 0.96 + 0.02;
    await phone.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height * share);
    times.push((await seenOn(phone.page)).image);
  }
  yield {
    measure: "viewer.jump",
    title: `any slice of 1,000, ${TEN_MBIT.name}, median`,
    ...{ value: median(times), unit: "ms" },
    ...atMost(400, "ms"),
    details: { p90: Math.round(percentile(times, 0.9)) },
  };
}

async function* measureScrolling(
  browser: Browser,
  { url, admin, last }: Pick<Place, "url" | "admin"> & { last: number },
): AsyncGenerator<Result> {
  await using phone = await openPhone(browser, admin.token);
  await showList(phone, url);
  const before = phone.memory();
  await tapExam(phone);
  const halves: number[] = [];
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      halves.push(phone.memory());
      await Bun.sleep(1_000);
    }
  })();
  const long = await phone.page.evaluate(scroll, { milliseconds: SCROLL_MS, from: 0, to: last });
  isDone = true;
  await sampling;
  const cached = await phone.page.evaluate(scroll, { milliseconds: CACHED_MS, from: 80, to: 110 });
  const peak = Math.max(...halves);
  const later = halves.slice(halves.length / 2);
  yield {
    measure: "viewer.memory",
    title: "memory of the page while 1,000 slices are scrolled for 60 s",
    ...{ value: peak / MB, unit: "MB" },
    ...atMost(250, "MB"),
    details: {
      beforeMB: Math.round(before / MB),
      medianOfSecondHalfMB: Math.round(median(later) / MB),
      framesPerSecond: Math.round(long.framesPerSecond),
      late: long.late,
    },
  };
  yield {
    measure: "viewer.frames",
    title: "slices drawn a second, from the cache",
    ...{ value: cached.drawnPerSecond, unit: "/s" },
    ...{ target: { of: "value", atLeast: 30 }, targetText: "≥ 30 /s" },
    details: { late: cached.late, framesPerSecond: Math.round(cached.framesPerSecond) },
  };
}

/** In the page: turns a wheel once a frame, up and down between two slices. Late frames took more than 34 ms. */
async function scroll({ milliseconds, from, to }: { milliseconds: number; from: number; to: number }) {
  const film = document.querySelector(".visor-film");
  const canvas = document.querySelector<HTMLCanvasElement>(".visor canvas");
  const place = () => Number(document.querySelector(".visor-slider")?.getAttribute("aria-valuenow")) - 1;
  const begun = performance.now();
  let [frames, drawn, late, last, step] = [0, 0, 0, begun, 1];
  let shown = canvas?.dataset.slice;
  while (performance.now() - begun < milliseconds) {
    if (place() >= to) step = -1;
    if (place() <= from) step = 1;
    film?.dispatchEvent(new WheelEvent("wheel", { deltaY: step, deltaMode: 1, cancelable: true }));
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    frames++;
    if (now - last > 34) late++;
    last = now;
    if (canvas?.dataset.slice !== shown) drawn++;
    shown = canvas?.dataset.slice;
  }
  const seconds = (performance.now() - begun) / 1_000;
  return { framesPerSecond: frames / seconds, drawnPerSecond: drawn / seconds, late };
}
