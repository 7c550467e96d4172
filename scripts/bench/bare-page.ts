import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BROWSER_ARGS, findChromium } from "../../test/support/browser/browser.ts";
import { type InPage, runningIn, type Send } from "./in-page.ts";
import { pageBytes } from "./process-tree.ts";

/**
 * A page without a network watcher. With one, the browser keeps hundreds of megabytes of answers in the page's process, and they
 * would count as the page's memory.
 */
export interface BarePage extends AsyncDisposable {
  run: InPage;
  /** PSS of the process that draws it, in bytes. */
  memory(): number;
  /** Has the browser collect what the page no longer holds. Workers are left alone. */
  collect(): Promise<void>;
}

export interface BarePageOptions {
  url: string;
  cpuSlowdown: number;
  /** Put into the page's storage before it begins. */
  stored: Record<string, string>;
}

const SIZE = { width: 360, height: 800, deviceScaleFactor: 2, mobile: true };

export async function openBarePage({ url, cpuSlowdown, stored }: BarePageOptions): Promise<BarePage> {
  const folder = await mkdtemp(join(tmpdir(), "exameteca-page-"));
  const listening = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${folder}`];
  const browser = Bun.spawn([findChromium() ?? "chromium", ...BROWSER_ARGS, ...listening, "about:blank"], {
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const end = async () => {
    // The whole group: Debian's program starts the browser as a child of its own.
    process.kill(-browser.pid);
    await browser.exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await portOf(browser.stderr);
    const opened = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: "PUT" });
    const { webSocketDebuggerUrl } = (await opened.json()) as { webSocketDebuggerUrl: string };
    const send = await connect(webSocketDebuggerUrl);
    await send("Emulation.setDeviceMetricsOverride", SIZE);
    await send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
    await send("Page.enable", {});
    await send("Page.addScriptToEvaluateOnNewDocument", {
      source: `for (const [key, value] of Object.entries(${JSON.stringify(stored)})) localStorage.setItem(key, value);`,
    });
    await send("Page.navigate", { url });
    return {
      run: runningIn(send),
      collect: () => send("HeapProfiler.collectGarbage", {}).then(() => undefined),
      memory: () => pageBytes(browser.pid) ?? Number.NaN,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function portOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let said = "";
  for await (const bytes of stderr) {
    said += new TextDecoder().decode(bytes);
    const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
    if (port) return port;
  }
  throw new Error(`the browser did not start: ${said.slice(-500)}`);
}

async function connect(url: string): Promise<Send> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: unknown) => void>();
  let calls = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  return (method, params) =>
    new Promise((resolve) => {
      const id = ++calls;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
}
