import { join } from "node:path";

export interface LoadOptions {
  /** Each request asks for one of these, at random. */
  urls: readonly string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

export interface LoadFigures {
  requestsPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  /** Answers that are not 2xx or 3xx, and broken connections. */
  failures: number;
}

/** Asks for URLs of one origin with keep-alive connections, from a process of its own. */
export interface LoadGenerator {
  name: string;
  run(options: LoadOptions): Promise<LoadFigures>;
}

/** wrk where it is installed, else a client of our own, which is slower than the server. */
export function createLoadGenerator(folder: string): LoadGenerator {
  const wrk = Bun.which("wrk");
  return wrk
    ? { name: "wrk", run: (options) => runWrk(wrk, folder, options) }
    : { name: "Bun client", run: (options) => runOwnClient(folder, options) };
}

async function runWrk(wrk: string, folder: string, options: LoadOptions): Promise<LoadFigures> {
  const script = join(folder, `load-${Bun.randomUUIDv7()}.lua`);
  await Bun.write(script, luaScript(options));
  const { origin } = new URL(options.urls[0] ?? "");
  const flags = [
    "-t1",
    `-c${options.connections}`,
    `-d${options.seconds}s`,
    "--timeout",
    "30s",
    "-s",
    script,
  ];
  return parseFigures(await Bun.$`${wrk} ${flags} ${origin}`.text());
}

async function runOwnClient(folder: string, options: LoadOptions): Promise<LoadFigures> {
  const path = join(folder, `load-${Bun.randomUUIDv7()}.json`);
  await Bun.write(path, JSON.stringify(options));
  return parseFigures(
    await Bun.$`${process.execPath} ${join(import.meta.dir, "load-client.ts")} ${path}`.text(),
  );
}

function parseFigures(output: string): LoadFigures {
  const line = /^FIGURES (.*)$/m.exec(output)?.[1];
  if (!line) throw new Error(`no figures from the load generator:\n${output.slice(-1000)}`);
  return JSON.parse(line) as LoadFigures;
}

function luaScript({ urls, headers }: LoadOptions): string {
  const paths = urls.map((url) => {
    const { pathname, search } = new URL(url);
    return JSON.stringify(pathname + search);
  });
  const fields = Object.entries(headers).map(
    ([name, value]) => `[${JSON.stringify(name)}]=${JSON.stringify(value)}`,
  );
  return `
local paths = {${paths.join(",")}}
local headers = {${fields.join(",")}}
function init() math.randomseed(42) end
function request() return wrk.format("GET", paths[math.random(#paths)], headers) end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('FIGURES {"requestsPerSecond":%.1f,"p50Ms":%.3f,"p95Ms":%.3f,"failures":%d}\\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}
