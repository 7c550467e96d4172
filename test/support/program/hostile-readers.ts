import { join } from "node:path";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { until } from "../until.ts";
import { type Bomb, makeBombs, unboundedManifest } from "../zip/bombs.ts";
import { connectTo, postZip, type ServerProcess } from "./server-process.ts";

const MIB = 1024 * 1024;
const CLIENTS = 8;
/** Bytes that a client reads of one answer before it leaves. */
const MAX_TAKEN_BYTES = 64 * MIB;

interface Kept {
  bomb: Bomb;
  studyId: string;
}

async function keep(server: ServerProcess, token: string, bomb: Bomb): Promise<Kept> {
  const answer = await postZip(server, token, new Blob([Uint8Array.from(bomb.zip)]));
  if (answer.status !== 201) {
    throw new Error(`${bomb.name}: ${answer.status} ${await answer.text()}\n${server.log()}`);
  }
  const { studies } = (await answer.json()) as UploadAnswer;
  return { bomb, studyId: studies[0]?.id ?? "" };
}

async function archived(sql: Awaited<ReturnType<typeof connectTo>>["sql"]): Promise<void> {
  await until(async () => {
    const left = await sql`select 1 from studies where storage_status <> 'b2' limit 1`;
    return left.length === 0;
  });
}

/** Puts what release 0.1 would have kept in the place of the study's manifest. */
async function replaceManifest(
  dataDir: string,
  sql: Awaited<ReturnType<typeof connectTo>>["sql"],
  { bomb, studyId }: Kept,
) {
  const [manifest] =
    await sql`select id, key from stored_objects where study_id = ${studyId} and kind = 'manifest'`;
  const [volume] = await sql`select id from stored_objects where study_id = ${studyId} and kind = 'volume'`;
  const bytes = unboundedManifest(bomb, String(volume?.id));
  await Bun.write(join(dataDir, "objects", String(manifest?.key)), bytes);
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  await sql`update stored_objects set size_bytes = ${bytes.length}, sha256 = ${sha256} where id = ${String(manifest?.id)}`;
}

const XML = encodeURIComponent('multipart/related; type="application/dicom+xml"');

/** Every route that reads the archive, for one study. */
function pathsOf(viewer: string, userId: string, { bomb, studyId }: Kept): string[] {
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = bomb;
  return [`/dicomweb/t/${viewer}`, "/dicomweb"]
    .flatMap((root) => {
      const study = `${root}/studies/${studyInstanceUID}`;
      const series = `${study}/series/${seriesInstanceUID}`;
      const instance = `${series}/instances/${sopInstanceUID}`;
      return [
        `${root}/studies`,
        `${study}/series`,
        `${study}/instances`,
        `${series}/instances?limit=1000`,
        `${study}/metadata`,
        `${series}/metadata`,
        `${instance}/metadata`,
        `${study}/metadata?accept=${XML}`,
        `${series}/metadata?accept=${XML}`,
        `${series}/instances?limit=1000&accept=${XML}`,
        `${instance}/frames/1`,
        `${instance}/frames/1,1,1`,
        `${instance}/bulkdata/7FE00010`,
        `${instance}/bulkdata/00291010`,
        `${instance}/bulkdata`,
        `${series}/pixeldata`,
        `${study}/bulkdata`,
        instance,
        series,
        study,
      ];
    })
    .concat(
      `/api/studies/${studyId}/thumbnail`,
      `/api/studies/${studyId}/series`,
      `/api/studies/${studyId}/download`,
      tokenPath(userId, studyId),
    );
}

function tokenPath(userId: string, studyId: string): string {
  return `/generate-token?data=${Buffer.from(JSON.stringify([{ userId, id: studyId }])).toString("base64url")}`;
}

/** All that the account keeps, as one ZIP; its address is good for one reading. */
const EXPORT = "the account's export";

async function addressOf(
  server: ServerProcess,
  headers: Record<string, string>,
  path: string,
): Promise<string> {
  if (path !== EXPORT) return server.url + path;
  const ticket = await fetch(`${server.url}/api/users/export-ticket`, { method: "POST", headers });
  if (!ticket.ok) throw new Error(`no ticket: ${ticket.status}`);
  return new URL(((await ticket.json()) as { url: string }).url, server.url).href;
}

async function take(server: ServerProcess, token: string, path: string, coding: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": coding };
  const answer = await fetch(await addressOf(server, headers, path), {
    headers,
    decompress: false,
    signal: AbortSignal.timeout(20_000),
  });
  let takenBytes = 0;
  for await (const piece of answer.body ?? []) {
    takenBytes += piece.length;
    if (takenBytes > MAX_TAKEN_BYTES) break;
  }
  return answer.status;
}

/** Eight clients read all of it again and again, each in an order of its own. Returns how often each status came. */
export async function readEverything(
  server: ServerProcess,
  { token, paths }: HostileAccount,
  forMs: number,
): Promise<Map<number, number>> {
  const endsAt = Date.now() + forMs;
  const statuses = new Map<number, number>();
  const codings = ["identity", "gzip", "br", "zstd"];
  const client = async (_: unknown, number: number) => {
    for (let turn = 0; Date.now() < endsAt && !server.isKilled; turn++) {
      const path = paths[(turn * 7 + number * 13) % paths.length] ?? "";
      const status = await take(server, token, path, codings[(turn + number) % 4] ?? "").catch(() => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return statuses;
}

/** Asks without end, tells each answer that is not 200, says so after the first one, and how long the longest took, when its input ends. */
const WATCHER = `
  const [url] = process.argv.slice(-1);
  let longestMs = 0, isOver = false, hasBegun = false;
  process.stdin.resume().on("end", () => { isOver = true; });
  while (!isOver) {
    const startedAt = performance.now();
    const answer = await fetch(url + "/api/health").catch((error) => error);
    const tookMs = performance.now() - startedAt;
    if (answer.status !== 200) console.error(tookMs, answer instanceof Response ? await answer.text() : answer);
    longestMs = Math.max(longestMs, answer.status === 200 ? tookMs : 1e9);
    if (!hasBegun) console.log("begun");
    hasBegun = true;
    await Bun.sleep(20);
  }
  console.log(longestMs);
  process.exit(0);`;

/** The longest anyone waits for `/api/health` until `stop`, as seen from a process that has nothing else to do and asks already. */
export async function watchHealth(server: ServerProcess) {
  const watcher = Bun.spawn([process.execPath, "-e", WATCHER, server.url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said = watcher.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await said.read();
  return {
    async stop(): Promise<number> {
      await watcher.stdin.end();
      return Number((await said.read()).value);
    },
  };
}

/** What a hostile reader has: a session, and every path that reads what they stored. */
export interface HostileAccount {
  token: string;
  paths: string[];
}

/** Stores every kind of bomb on a server on `dataDir`, as its admin. */
export async function storeBombs(server: ServerProcess, dataDir: string): Promise<HostileAccount> {
  await using database = await connectTo(dataDir);
  const token = await server.signIn();
  const [admin] = await database.sql`select id from users`;
  const userId = String(admin?.id);
  const kept: Kept[] = [];
  for (const bomb of await makeBombs(0.15)) kept.push(await keep(server, token, bomb));
  await archived(database.sql);
  const landed = kept.at(-1);
  if (landed) await replaceManifest(dataDir, database.sql, landed);
  const found = new Set<string>();
  for (const one of kept) {
    const answer = await fetch(server.url + tokenPath(userId, one.studyId), {
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 200)
      throw new Error(`${one.bomb.name}: ${answer.status} instead of a viewer token`);
    const viewer = ((await answer.json()) as { token: string }).token;
    for (const path of pathsOf(viewer, userId, one)) found.add(path);
  }
  const paths = [...found];
  // Among the others, so that some clients export while others read.
  for (let at = 0; at < paths.length; at += 20) paths.splice(at, 0, EXPORT);
  return { token, paths };
}
