import type { Browser } from "playwright-core";
import type { ApiClient } from "../api-client.ts";
import { openPhone, type Phone, type PhoneOptions } from "../phone.ts";
import type { Result } from "../result.ts";
import { median } from "../statistics.ts";
import { atMost, showList, tapExam } from "./viewer-steps.ts";

const MINUTE_MS = 60_000;
const SAMPLE_MS = 1_000;
const CACHED_MS = 8_000;
/** Slices that fit into every cache, OHIF's too. */
const CACHED = { from: 80, to: 110 };
/** In this time both viewers have read the slices that are scrolled through. */
const AHEAD_MS = 6_000;
/** What a process that does nothing may grow and shrink. */
const STEADY_MB = 10;
const MB = 1e6;

export interface ScrollPlace {
  url: string;
  browser: Browser;
  admin: ApiClient;
  count: number;
  /** OHIF with the same exam, over the loopback. */
  ohif(): Promise<AsyncDisposable & { phone: Phone }>;
}

/** Scrolls up and down through an exam: memory, late frames and slices a second, with WebGL, with a plain canvas, and in OHIF. */
export async function* measureScrolling(place: ScrollPlace): AsyncGenerator<Result> {
  const { long, cached, minutes, before } = await scrollLong(place);
  const canvas = await scrollCached(place, { hasWebgl: false });
  const other = await scrollOhif(place);
  const [first = Number.NaN, second = Number.NaN] = minutes.map(median);
  const { count } = place;
  yield {
    measure: "viewer.memory",
    title: `memory of the page while ${count} slices are scrolled for two minutes, at most`,
    ...{ value: Math.max(...minutes.flat()), unit: "MB" },
    limit: { what: "OHIF", value: other.megabytes },
    ...atMost(250, "MB"),
    details: { before: Math.round(before), firstMinute: Math.round(first), second: Math.round(second) },
  };
  yield {
    measure: "viewer.growth",
    title: "growth of that memory from the first minute to the second, of medians",
    ...{ value: second - first, unit: "MB" },
    ...atMost(STEADY_MB, "MB"),
  };
  yield {
    measure: "viewer.late",
    title: `late frames while ${count} slices are scrolled (more than 34 ms)`,
    ...{ value: long.latePercent, unit: "%" },
    details: { framesPerSecond: Math.round(long.framesPerSecond), drawn: Math.round(long.drawnPerSecond) },
  };
  for (const [name, turned] of [
    ["WebGL in software", cached],
    ["plain canvas", canvas],
  ] as const) {
    yield {
      measure: "viewer.frames",
      title: `slices drawn a second from the cache, ${name}`,
      ...{ value: turned.drawnPerSecond, unit: "/s" },
      limit: { what: "OHIF", value: other.drawnPerSecond },
      ...{ target: { of: "value", atLeast: 30 }, targetText: "≥ 30 /s" },
      details: { latePercent: Math.round(turned.latePercent), ohifLate: Math.round(other.latePercent) },
    };
  }
}

async function scrollLong({ url, browser, admin, count }: ScrollPlace) {
  await using phone = await openPhone(browser, admin.token);
  await showList(phone, url);
  const before = phone.memory() / MB;
  await tapExam(phone);
  const minutes: number[][] = [];
  const turns: Turned[] = [];
  for (let minute = 0; minute < 2; minute++) {
    const samples: number[] = [];
    minutes.push(samples);
    const timer = setInterval(() => samples.push(phone.memory() / MB), SAMPLE_MS);
    turns.push(await phone.page.evaluate(turnWheel, { milliseconds: MINUTE_MS, from: 0, to: count - 1 }));
    clearInterval(timer);
  }
  const [long = NONE] = turns;
  await phone.page.evaluate(turnWheel, { milliseconds: AHEAD_MS, ...CACHED });
  const cached = await phone.page.evaluate(turnWheel, { milliseconds: CACHED_MS, ...CACHED });
  return { before, minutes, long, cached };
}

async function scrollCached({ url, browser, admin }: ScrollPlace, options: PhoneOptions): Promise<Turned> {
  await using phone = await openPhone(browser, admin.token, options);
  await showList(phone, url);
  await tapExam(phone);
  await phone.page.evaluate(turnWheel, { milliseconds: AHEAD_MS, ...CACHED });
  return await phone.page.evaluate(turnWheel, { milliseconds: CACHED_MS, ...CACHED });
}

async function scrollOhif({ ohif }: ScrollPlace): Promise<Turned & { megabytes: number }> {
  await using opened = await ohif();
  const { page } = opened.phone;
  await Bun.sleep(AHEAD_MS);
  await page.evaluate(turnOhif, { milliseconds: AHEAD_MS, steps: CACHED.to - CACHED.from });
  const turned = await page.evaluate(turnOhif, {
    milliseconds: CACHED_MS,
    steps: CACHED.to - CACHED.from,
  });
  return { ...turned, megabytes: opened.phone.memory() / MB };
}

interface Turned {
  framesPerSecond: number;
  drawnPerSecond: number;
  latePercent: number;
}

const NONE: Turned = { framesPerSecond: 0, drawnPerSecond: 0, latePercent: 100 };

/** In the page: turns the wheel once a frame, up and down between two slices. Late frames took more than 34 ms. */
async function turnWheel({ milliseconds, from, to }: { milliseconds: number; from: number; to: number }) {
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
  return {
    framesPerSecond: frames / seconds,
    drawnPerSecond: drawn / seconds,
    latePercent: (100 * late) / Math.max(1, frames),
  };
}

/** In OHIF's page: the same, so many steps down and up again. */
async function turnOhif({ milliseconds, steps }: { milliseconds: number; steps: number }) {
  const element = document.querySelector("canvas.cornerstone-canvas")?.closest("[data-viewport-uid]");
  const begun = performance.now();
  let [frames, drawn, late, last] = [0, 0, 0, begun];
  const count = () => drawn++;
  element?.addEventListener("CORNERSTONE_STACK_NEW_IMAGE", count);
  while (performance.now() - begun < milliseconds) {
    const deltaY = Math.floor(frames / steps) % 2 === 0 ? 100 : -100;
    const options = { deltaY, bubbles: true, cancelable: true };
    document.querySelector("canvas.cornerstone-canvas")?.dispatchEvent(new WheelEvent("wheel", options));
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    frames++;
    if (now - last > 34) late++;
    last = now;
  }
  element?.removeEventListener("CORNERSTONE_STACK_NEW_IMAGE", count);
  const seconds = (performance.now() - begun) / 1_000;
  return {
    framesPerSecond: frames / seconds,
    drawnPerSecond: drawn / seconds,
    latePercent: (100 * late) / Math.max(1, frames),
  };
}
