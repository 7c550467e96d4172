import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { healthCommand, type Instruction, parseDockerfile } from "./build/dockerfile.ts";
import { ARCHITECTURES, type Architecture, isThisMachine } from "./build/target.ts";

/**
 * Tries `deploy/` on a Linux machine without a container engine: runs the build stage of the Dockerfile in a clean folder of
 * the files that git knows, then starts what the last stage copies as an ordinary user, as its own health check sees it.
 * Then the same for the other processor, which is started where the machine emulates it (Debian: `qemu-user-static`,
 * `libc6:arm64`, `libstdc++6:arm64`). Checks the systemd unit where `systemd-analyze` is, and the compose files where
 * `docker compose` is.
 */

const root = resolve(import.meta.dir, "..");
const NOBODY = 65534;
const BUILD_TIMEOUT_MS = 30 * 60_000;
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 10_000;
/** Under emulation everything takes some ten times longer. */
const EMULATED_FACTOR = 10;
const STEP_MS = 500;
const COMPOSE_SETTINGS = {
  DOMAIN: "exames.example.com",
  VIEWER_DOMAIN: "visor.example.com",
  ADMIN_EMAIL: "admin@example.com",
  POSTGRES_PASSWORD: "p",
  AUTH_SECRET: "a".repeat(32),
  S3_ACCESS_KEY_ID: "k",
  S3_SECRET_ACCESS_KEY: "s",
};

function run(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): void {
  const [program = "", ...args] = command;
  const env = { ...process.env, ...options.env };
  const { status, error } = spawnSync(program, args, {
    ...options,
    env,
    stdio: [options.input === undefined ? "ignore" : "pipe", "inherit", "inherit"],
    timeout: BUILD_TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`${command.join(" ")}: ${error ?? `exit code ${status}`}`);
}

/** Runs the build stage in `source`, which stands for its WORKDIR. */
function buildIn(source: string, stage: readonly Instruction[], architecture: Architecture): string {
  let workdir = "/";
  for (const { name, text } of stage) {
    if (name === "WORKDIR") workdir = text;
    else if (name === "COPY" && text === ". .") copyRepository(source);
    else if (name === "RUN") run(["sh", "-ec", text], { cwd: source, env: { TARGETARCH: architecture } });
    else if (name !== "FROM" && !(name === "ARG" && text === "TARGETARCH"))
      throw new Error(`the build stage has an instruction this script does not know: ${name} ${text}`);
  }
  return workdir;
}

/** The files that git knows, as they are now. */
function copyRepository(target: string): void {
  const { stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const path of stdout.toString().split("\0").filter(Boolean)) {
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path));
  }
}

/** What the last stage says about the program that it runs, with `source` in place of the build stage's WORKDIR. */
function describeImage(stage: readonly Instruction[], source: string, workdir: string, architecture: string) {
  const texts = (name: string) =>
    stage.filter((one) => one.name === name).map(({ text }) => text.replaceAll("$TARGETARCH", architecture));
  const copied = texts("COPY").map((text) => text.split(/\s+/).filter((word) => !word.startsWith("--")));
  const programs = copied.map(([from = "", to = ""]) => ({ from: from.replace(workdir, source), to }));
  for (const { from } of programs) if (!existsSync(from)) throw new Error(`COPY: ${from} is not there`);
  const [program] = programs;
  const [user = "root"] = texts("USER");
  if (user === "root" || user === "0") throw new Error("the image runs as root");
  const health = healthCommand(stage);
  const args = JSON.parse(texts("CMD").at(-1) ?? "[]") as string[];
  const env = Object.fromEntries(
    texts("ENV").flatMap((text) => text.split(/\s+/).map((pair) => pair.split("="))),
  );
  for (const step of texts("RUN")) run(["sh", "-n", "-c", step]);
  if (!program) throw new Error("the last stage copies no program");
  return { program: program.from, health, args, env: env as Record<string, string> };
}

type Image = ReturnType<typeof describeImage>;

/** Starts the program, waits until it is healthy, and stops it. Limits of time are multiplied by `factor`. */
async function start(image: Image, folder: string, factor = 1): Promise<void> {
  const data = mkdtempSync(join(folder, "data-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const port = String(await freePort());
  const env = { PATH: process.env.PATH ?? "", ...image.env, HOST: "127.0.0.1", PORT: port, DATA_DIR: data };
  const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(image.program, image.args, {
    cwd: "/",
    env,
    stdio: ["ignore", "inherit", "inherit"],
    ...account,
  });
  const exited = new Promise<number | null>((done) => child.on("exit", done));
  try {
    await untilHealthy(image.health, env, START_TIMEOUT_MS * factor);
    child.kill("SIGTERM");
    const late = Bun.sleep(STOP_TIMEOUT_MS * factor).then(() => "still running");
    const code = await Promise.race([exited, late]);
    if (code !== 0) throw new Error(`after SIGTERM: ${code}`);
  } finally {
    child.kill("SIGKILL");
  }
}

async function untilHealthy(
  [program = "", ...args]: string[],
  env: Record<string, string>,
  timeoutMs: number,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += STEP_MS) {
    if (spawnSync(program, args, { env, stdio: "ignore", timeout: 5_000 }).status === 0) return;
    await Bun.sleep(STEP_MS);
  }
  throw new Error("the health check of the image does not pass");
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}

/** The unit, with the built program in place of the installed one. */
function verifyUnit(folder: string, program: string): void {
  if (!Bun.which("systemd-analyze")) {
    console.log("no systemd-analyze: the unit is not checked");
    return;
  }
  const unit = readFileSync(join(root, "deploy/exameteca.service"), "utf8");
  const copy = join(folder, "exameteca.service");
  writeFileSync(copy, unit.replace("/usr/local/bin/exameteca", program));
  run(["systemd-analyze", "verify", "--recursive-errors=no", copy]);
  console.log("deploy/exameteca.service: systemd has no complaint");
}

/** The older `docker-compose` knows no `name`; what else it says of a file holds. */
function verifyCompose(): void {
  const isPlugin = spawnSync("docker", ["compose", "version"], { stdio: "ignore" }).status === 0;
  const command = isPlugin ? ["docker", "compose"] : ["docker-compose"];
  if (!isPlugin && !Bun.which("docker-compose")) {
    console.log("no docker compose: the compose files are not checked");
    return;
  }
  const deploy = join(root, "deploy");
  for (const file of ["compose.yaml", "compose.nodes.yaml"]) {
    const text = readFileSync(join(deploy, file), "utf8");
    const input = isPlugin ? text : text.replace(/^name:.*$/m, "");
    const args = ["-f", "-", "--project-directory", deploy, "config", "--quiet"];
    run([...command, ...args], { env: COMPOSE_SETTINGS, input });
    console.log(`deploy/${file}: valid for ${command.join(" ")}`);
  }
}

/** Whether this machine runs programs for the processor, by itself or emulated. */
function runs(architecture: Architecture): boolean {
  if (isThisMachine(architecture)) return true;
  const name = architecture === "arm64" ? "aarch64" : "x86_64";
  const loader = architecture === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
  return existsSync(`/proc/sys/fs/binfmt_misc/qemu-${name}`) && existsSync(loader);
}

const folder = mkdtempSync(join(tmpdir(), "exameteca-image-"));
chmodSync(folder, 0o755);
try {
  verifyCompose();
  const source = join(folder, "src");
  mkdirSync(source);
  const stages = parseDockerfile(readFileSync(join(root, "deploy/Dockerfile"), "utf8"));
  // This machine's first: the other one takes what both have in common from it.
  const architectures = [...ARCHITECTURES].sort(
    (a, b) => Number(isThisMachine(b)) - Number(isThisMachine(a)),
  );
  for (const architecture of architectures) {
    const startedAt = performance.now();
    const workdir = buildIn(source, stages[0] ?? [], architecture);
    const image = describeImage(stages.at(-1) ?? [], source, workdir, architecture);
    const megabytes = (Bun.file(image.program).size / 1e6).toFixed(1);
    const isEmulated = !isThisMachine(architecture);
    if (runs(architecture)) await start(image, folder, isEmulated ? EMULATED_FACTOR : 1);
    if (!isEmulated) verifyUnit(folder, image.program);
    const health = runs(architecture)
      ? "healthy as an ordinary user"
      : "not started: nothing emulates it here";
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`linux-${architecture}: ${megabytes} MB, ${health}; ${seconds} s`);
  }
  console.log("deploy/ works");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
