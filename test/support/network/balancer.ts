import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createTempFolder } from "../temp-folder.ts";
import { until } from "../until.ts";
import { freePort } from "./free-port.ts";

/** What stands in front of the nodes: answers for the names of the installation, and picks a node that lives. */
export interface Balancer extends AsyncDisposable {
  url: string;
}

export interface BalancerOptions {
  /** The environment of the compose file's `caddy`. */
  environment: Readonly<Record<string, string>>;
  /** `host:port` of each. */
  nodes: readonly string[];
}

const CADDYFILE = resolve(import.meta.dir, "../../../deploy/Caddyfile");
const START_TIMEOUT_MS = 20_000;

export const hasCaddy = Bun.which("caddy") !== null;

/** The real Caddy with deploy/Caddyfile; without certificates, which nobody would give to a test. */
export async function startCaddy({ environment, nodes }: BalancerOptions): Promise<Balancer> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(createTempFolder());
  const port = await freePort();
  const plain = (name: string | undefined) => `http://${name}:${port}`;
  const { DOMAIN, VIEWER_DOMAIN } = environment;
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: folder.path, XDG_DATA_HOME: folder.path },
    ...{ DOMAIN: plain(DOMAIN), VIEWER_DOMAIN: plain(VIEWER_DOMAIN), NODES: nodes.join(" ") },
  };
  const adapted = Bun.spawnSync(["caddy", "adapt", "--adapter", "caddyfile", "--config", CADDYFILE], { env });
  if (adapted.exitCode !== 0) throw new Error(adapted.stderr.toString());
  const config = join(folder.path, "caddy.json");
  // Its own administration has a port that another Caddy may hold.
  writeFileSync(
    config,
    JSON.stringify({ ...JSON.parse(adapted.stdout.toString()), admin: { disabled: true } }),
  );
  const caddy = Bun.spawn(["caddy", "run", "--config", config], {
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  starting.defer(async () => {
    caddy.kill();
    await caddy.exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url);
  const held = starting.move();
  return { url, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const NGINX_FILE = resolve(import.meta.dir, "../../../deploy/nginx.conf");

export const hasNginx = Bun.which("nginx") !== null;

/** The real nginx with deploy/nginx.conf; without certificates, as Caddy. */
export async function startNginx({ nodes }: Pick<BalancerOptions, "nodes">): Promise<Balancer> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(createTempFolder());
  const port = await freePort();
  const site = readFileSync(NGINX_FILE, "utf8")
    .replace(/\bserver 127[^;]*;/, nodes.map((node) => `server ${node};`).join(" "))
    .replace(/listen [^;]*;/, `listen 127.0.0.1:${port};`)
    .replace(/ssl_certificate(_key)? [^;]*;/g, "");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder.path, kind)};`,
  );
  const config = join(folder.path, "nginx.conf");
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${join(folder.path, "pid")}; error_log stderr;
    events {} http { access_log off; ${temporary.join(" ")} ${site} }`,
  );
  const nginx = Bun.spawn(["nginx", "-c", config], { stdio: ["ignore", "ignore", "ignore"] });
  starting.defer(async () => {
    nginx.kill();
    await nginx.exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url);
  const held = starting.move();
  return { url, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** The same in a few lines, for machines without Caddy: each node in turn, and the next one where none listens. */
export function startSmallBalancer({ environment, nodes }: BalancerOptions): Balancer {
  const names = [environment.DOMAIN, environment.VIEWER_DOMAIN];
  let turn = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    async fetch(request) {
      const host = request.headers.get("host") ?? "";
      if (!names.includes(host)) return new Response();
      const path = request.url.slice(new URL(request.url).origin.length);
      const headers = new Headers(request.headers);
      headers.set("x-forwarded-for", "127.0.0.1");
      const body = request.body && (await request.bytes());
      const first = turn++;
      for (let tried = 0; tried < nodes.length; tried++) {
        const node = nodes[(first + tried) % nodes.length];
        try {
          const { method } = request;
          return await fetch(`http://${node}${path}`, { method, headers, body, keepalive: false });
        } catch (error) {
          if (!/^(ConnectionRefused|ECONNREFUSED)$/.test((error as { code?: string }).code ?? ""))
            throw error;
        }
      }
      return new Response(null, { status: 502 });
    },
  });
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function untilItAnswers(url: string): Promise<void> {
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined, START_TIMEOUT_MS);
}
