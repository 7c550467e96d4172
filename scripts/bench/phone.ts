import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

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
  /** Without a line it is as fast as the loopback. */
  connect(line?: Line): Promise<void>;
  /** Bytes that arrived since the last call. */
  takeBytes(): number;
  /** Memory of the processes that draw its pages, in bytes: PSS. */
  memory(): number;
}

const CPU_SLOWDOWN = 4;
const DEVICE = {
  ...{ viewport: { width: 360, height: 800 }, deviceScaleFactor: 2 },
  ...{ hasTouch: true, isMobile: true, locale: "pt-BR" },
};

/** @param token of a session; without one the phone is a visitor's */
export async function openPhone(
  browser: Browser,
  token?: string,
  viewer: "visor" | "ohif" = "visor",
): Promise<Phone> {
  const context = await browser.newContext(DEVICE);
  await context.addInitScript(
    (kept) => {
      if (!location.protocol.startsWith("http") || window.top !== window) return;
      for (const [key, value] of Object.entries(kept)) if (value) localStorage.setItem(key, value);
    },
    { token, viewer, language: "pt-BR", visorHint: "3" },
  );
  await context.addInitScript(watchFilm);
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  const bytes = await countBytes(client);
  await client.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const processes = await listRenderers(browser);
  return {
    page,
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
    // A browser that names no process is not one that needs no memory.
    memory: () => processes.reduce((sum, pid) => sum + pssOf(pid), 0) || Number.NaN,
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

async function listRenderers(browser: Browser): Promise<number[]> {
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send("SystemInfo.getProcessInfo");
  await client.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

function pssOf(pid: number): number {
  try {
    const [, kilobytes = "0"] =
      /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // A process that has ended holds nothing.
    return 0;
  }
}

/** Milliseconds from the person's last press to what they then saw. */
export interface Seen {
  preview?: number;
  /** The first picture drawn from the frame itself; it may still be coarse. */
  image?: number;
}

/** In every page: after each press, notes when the preview and the image are on the screen. */
function watchFilm(): void {
  const seen: Seen = {};
  Object.assign(window, { seen });
  let presses = 0;
  interface Seen {
    preview?: number;
    image?: number;
  }
  addEventListener(
    "pointerdown",
    ({ timeStamp }) => {
      const film = () => document.querySelector<HTMLCanvasElement>(".visor canvas[data-slice]");
      const before = film()?.dataset.slice;
      const press = ++presses;
      delete seen.preview;
      delete seen.image;
      const look = () => {
        // An earlier press is looked after no longer.
        if (press !== presses) return;
        const picture = document.querySelector<HTMLImageElement>(".visor-preview");
        if (picture?.complete && picture.naturalWidth > 0) seen.preview ??= performance.now() - timeStamp;
        const slice = film()?.dataset.slice;
        if (slice !== undefined && slice !== before) seen.image = performance.now() - timeStamp;
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    { capture: true },
  );
}

/** Waits until the image is there, and says when. */
export async function seenOn(page: Page, timeoutMs = 120_000): Promise<Required<Seen>> {
  const handle = await page.waitForFunction(
    () => {
      const { seen } = window as unknown as { seen: Seen };
      return seen.image === undefined ? undefined : { ...seen };
    },
    undefined,
    { timeout: timeoutMs },
  );
  const { preview, image } = (await handle.jsonValue()) ?? {};
  return { preview: preview ?? image ?? Number.NaN, image: image ?? Number.NaN };
}
