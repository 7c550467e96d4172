import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { type InPage, middleOf, runningIn, type Send } from "./in-page.ts";

/** A line between phone and server, in bits a second and milliseconds for a round trip. */
export interface Line {
  name: string;
  bitsPerSecond: number;
  roundTripMs: number;
}

export const TEN_MBIT: Line = { name: "10 Mbit/s, 40 ms", bitsPerSecond: 10_000_000, roundTripMs: 40 };
export const SLOW: Line = { name: "1.5 Mbit/s, 40 ms", bitsPerSecond: 1_500_000, roundTripMs: 40 };

/** A phone of 360 × 800 whose processor is four times slower than this machine's. */
export interface Phone extends AsyncDisposable {
  page: Page;
  run: InPage;
  /** Puts a finger on the first such button as soon as it is there. */
  tap(selector: string, text?: string): Promise<void>;
  /** Without a line it is as fast as the loopback. */
  connect(line?: Line): Promise<void>;
  /** Bytes that arrived since the last call. */
  takeBytes(): number;
}

export const CPU_SLOWDOWN = 4;
const DEVICE = {
  viewport: { width: 360, height: 800 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
  locale: "pt-BR",
};

export interface PhoneOptions {
  /** A browser without WebGL, in which the visor draws with the plain canvas. */
  hasWebgl?: boolean;
}

/** @param token of a session; without one the phone is a visitor's */
export async function openPhone(
  browser: Browser,
  token?: string,
  { hasWebgl = true }: PhoneOptions = {},
): Promise<Phone> {
  const context = await browser.newContext(DEVICE);
  await context.addInitScript(
    (kept) => {
      if (!location.protocol.startsWith("http") || window.top !== window) return;
      for (const [key, value] of Object.entries(kept)) if (value) localStorage.setItem(key, value);
    },
    { token, viewer: "visor", language: "pt-BR", visorHint: "3" },
  );
  await context.addInitScript(watchFilm);
  if (!hasWebgl) await context.addInitScript(takeWebglAway);
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  const bytes = await countBytes(client);
  await client.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const run = runningIn(client.send.bind(client) as Send);
  return {
    page,
    run,
    async tap(selector, text) {
      const { x, y } = await run(middleOf, { selector, ...(text !== undefined && { text }) });
      await page.touchscreen.tap(x, y);
    },
    ...bytes,
    connect: (line) =>
      client
        .send("Network.emulateNetworkConditions", {
          offline: false,
          latency: line?.roundTripMs ?? 0,
          downloadThroughput: line ? line.bitsPerSecond / 8 : -1,
          uploadThroughput: line ? line.bitsPerSecond / 8 : -1,
        })
        .then(() => undefined),
    [Symbol.asyncDispose]: () => closeContext(context),
  };
}

const closeContext = (context: BrowserContext) => context.close();

async function countBytes(client: CDPSession) {
  let arrived = 0;
  await client.send("Network.enable");
  client.on("Network.dataReceived", ({ encodedDataLength }) => {
    arrived += encodedDataLength;
  });
  return {
    takeBytes() {
      const taken = arrived;
      arrived = 0;
      return taken;
    },
  };
}

function takeWebglAway(): void {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (
    this: HTMLCanvasElement,
    kind: string,
    ...more: unknown[]
  ) {
    return kind.startsWith("webgl") ? null : Reflect.apply(getContext, this, [kind, ...more]);
  } as typeof getContext;
}

/** Milliseconds from the person's last press to what they then saw. */
export interface Seen {
  preview?: number;
  /** The first picture drawn from the frame itself; it may still be coarse. */
  image?: number;
  /** The whole frame. */
  sharp?: number;
}

/** In every page: after each press, notes when the preview and the image are on the screen. */
function watchFilm(): void {
  const seen: Seen = {};
  Object.assign(window, { seen });
  let presses = 0;
  interface Seen {
    preview?: number;
    image?: number;
    sharp?: number;
  }
  addEventListener(
    "pointerdown",
    ({ timeStamp }) => {
      const film = () => document.querySelector<HTMLCanvasElement>(".visor canvas[data-slice]");
      const before = film()?.dataset.slice;
      const press = ++presses;
      delete seen.preview;
      delete seen.image;
      delete seen.sharp;
      const look = () => {
        // An earlier press is looked after no longer.
        if (press !== presses) return;
        const picture = document.querySelector<HTMLImageElement>(".visor-preview");
        if (picture?.complete && picture.naturalWidth > 0) seen.preview ??= performance.now() - timeStamp;
        const canvas = film();
        if (canvas && canvas.dataset.slice !== before) {
          seen.image ??= performance.now() - timeStamp;
          if (canvas.dataset.coarse === undefined) seen.sharp = performance.now() - timeStamp;
        }
        if (seen.sharp === undefined) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    { capture: true },
  );
}

/** In the page: what was seen since the last press, once the whole image is there. */
async function seenWhole(timeoutMs: number): Promise<Seen> {
  const { seen } = window as unknown as { seen: Seen };
  const end = performance.now() + timeoutMs;
  while (seen.sharp === undefined) {
    if (performance.now() > end) throw new Error("no image");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { ...seen };
}

/** Waits until the whole image is there, and says when. */
export async function seenOn({ run }: Phone, timeoutMs = 120_000): Promise<Required<Seen>> {
  const { preview, image, sharp } = await run(seenWhole, timeoutMs);
  const [first, whole] = [image ?? Number.NaN, sharp ?? Number.NaN];
  return { preview: preview ?? first, image: first, sharp: whole };
}
