import type { Browser } from "playwright-core";
import type { ApiClient } from "../api-client.ts";
import { openBarePage } from "../bare-page.ts";
import { waitFor } from "../in-page.ts";
import { CPU_SLOWDOWN, openPhone, type Phone, type PhoneOptions } from "../phone.ts";
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
  const { long, cached, minutes, before, collected } = await scrollLong(place);
  const canvas = await scrollCached(place, { hasWebgl: false });
  const other = await scrollOhif(place);
  const [first = Number.NaN, second = Number.NaN] = minutes.map(median);
  const { count } = place;
  yield {
    measure: "viewer.memory",
    title: `memory of the page while ${count} slices are scrolled for two minutes, at most`,
    value: Math.max(...minutes.flat()),
    unit: "MB",
    ...atMost(250, "MB"),
    details: {
      before: Math.round(before),
      firstMinute: Math.round(first),
      second: Math.round(second),
      collectedAtTwo: Math.round(collected.before),
      collectedAtThree: Math.round(collected.after),
    },
  };
  yield {
    measure: "viewer.growth",
    title: "growth of that memory from the first minute to the second, of medians",
    value: second - first,
    unit: "MB",
    ...atMost(STEADY_MB, "MB"),
  };
  yield {
    measure: "viewer.growth",
    title: "growth of what is left of it after a collection, over a third minute",
    value: collected.after - collected.before,
    unit: "MB",
    ...atMost(STEADY_MB, "MB"),
  };
  yield {
    measure: "viewer.late",
    title: `late frames while ${count} slices are scrolled (more than 34 ms)`,
    value: long.latePercent,
    unit: "%",
    details: { framesPerSecond: Math.round(long.framesPerSecond), drawn: Math.round(long.drawnPerSecond) },
  };
  for (const [name, turned] of [
    ["WebGL in software", cached],
    ["plain canvas", canvas],
  ] as const) {
    yield {
      measure: "viewer.frames",
      title: `slices drawn a second from the cache, ${name}`,
      value: turned.drawnPerSecond,
      unit: "/s",
      limit: { what: "OHIF", value: other.drawnPerSecond },
      target: { of: "value", atLeast: 30 },
      targetText: "≥ 30 /s",
      details: { latePercent: Math.round(turned.latePercent), ohifLate: Math.round(other.latePercent) },
    };
  }
}

async function scrollLong({ url, admin, count }: ScrollPlace) {
  await using page = await openBarePage({
    url: `${url}/his`,
    cpuSlowdown: CPU_SLOWDOWN,
    stored: { token: admin.token, viewer: "visor", language: "pt-BR", visorHint: "3" },
  });
  await page.run(pressWhenThere, "button:text(Exames)");
  await page.run(waitFor, "[data-opens]");
  const before = page.memory() / MB;
  await page.run(pressWhenThere, "[data-opens]");
  await page.run(waitFor, ".visor canvas[data-slice]:not([data-coarse])");
  const minutes: number[][] = [];
  const turns: Turned[] = [];
  for (let minute = 0; minute < 2; minute++) {
    const samples: number[] = [];
    minutes.push(samples);
    const timer = setInterval(() => samples.push(page.memory() / MB), SAMPLE_MS);
    turns.push(await page.run(turnWheel, { milliseconds: MINUTE_MS, from: 0, to: count - 1 }));
    clearInterval(timer);
  }
  const collect = async () => {
    await page.collect();
    return page.memory() / MB;
  };
  const collected = { before: await collect(), after: Number.NaN };
  await page.run(turnWheel, { milliseconds: MINUTE_MS, from: 0, to: count - 1 });
  collected.after = await collect();
  const [long = NONE] = turns;
  await page.run(turnWheel, { milliseconds: AHEAD_MS, ...CACHED });
  const cached = await page.run(turnWheel, { milliseconds: CACHED_MS, ...CACHED });
  return { before, minutes, long, cached, collected };
}

/** In the page: presses the first button that is there; `button:text(…)` names one by how its text begins. */
async function pressWhenThere(selector: string): Promise<void> {
  const [, text] = /^button:text\((.*)\)$/.exec(selector) ?? [];
  const find = () =>
    [...document.querySelectorAll<HTMLElement>(text === undefined ? selector : "button")].find(
      (one) => one.checkVisibility() && (text === undefined || one.textContent?.trim().startsWith(text)),
    );
  let found = find();
  while (!found) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = find();
  }
  found.click();
}

async function scrollCached({ url, browser, admin }: ScrollPlace, options: PhoneOptions): Promise<Turned> {
  await using phone = await openPhone(browser, admin.token, options);
  await showList(phone, url);
  await tapExam(phone);
  await phone.page.evaluate(turnWheel, { milliseconds: AHEAD_MS, ...CACHED });
  return await phone.page.evaluate(turnWheel, { milliseconds: CACHED_MS, ...CACHED });
}

async function scrollOhif({ ohif }: ScrollPlace): Promise<Turned> {
  await using opened = await ohif();
  const { page } = opened.phone;
  await Bun.sleep(AHEAD_MS);
  await page.evaluate(turnOhif, { milliseconds: AHEAD_MS, steps: CACHED.to - CACHED.from });
  return await page.evaluate(turnOhif, {
    milliseconds: CACHED_MS,
    steps: CACHED.to - CACHED.from,
  });
}

interface Turned {
  framesPerSecond: number;
  drawnPerSecond: number;
  latePercent: number;
}

const NONE: Turned = { framesPerSecond: 0, drawnPerSecond: 0, latePercent: 100 };

/**
 * In the page: goes to a range of slices and turns the wheel up and down in it, once a frame. What it passes on the way does not count.
 * Late frames took more than 34 ms.
 */
async function turnWheel({ milliseconds, from, to }: { milliseconds: number; from: number; to: number }) {
  const film = document.querySelector(".visor-film");
  const canvas = document.querySelector<HTMLCanvasElement>(".visor canvas");
  const place = () => Number(document.querySelector(".visor-slider")?.getAttribute("aria-valuenow")) - 1;
  const turn = (deltaY: number) => {
    film?.dispatchEvent(new WheelEvent("wheel", { deltaY, deltaMode: 1, cancelable: true }));
    return new Promise<number>((resolve) => requestAnimationFrame(resolve));
  };
  while (place() > to) await turn(-1);
  while (place() < from) await turn(1);
  const begun = performance.now();
  let [frames, drawn, late, last, step] = [0, 0, 0, begun, 1];
  let shown = canvas?.dataset.slice;
  while (performance.now() - begun < milliseconds) {
    if (place() >= to) step = -1;
    if (place() <= from) step = 1;
    const now = await turn(step);
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
