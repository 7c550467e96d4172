import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Study } from "../../src/shared/api/studies.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { runProgram } from "../support/program/run-program.ts";
import { postZip, type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { startFaultyS3Server } from "../support/store/faulty-s3-server.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { sampleZip, studyUID } from "../support/zip/sample-zip.ts";

/** A folder with the last release, installed and built (`git archive`, `bun install`, `bun scripts/build/prepare.ts`). */
const lastRelease = process.env.LAST_RELEASE;
const TIMEOUT_MS = 600_000;

/** An installation as one person sees it at one node. */
class Seen {
  constructor(
    readonly node: ServerProcess,
    readonly token: string,
  ) {}

  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    const json = body !== undefined && { "content-type": "application/json" };
    const headers = { authorization: `Bearer ${this.token}`, ...json };
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return await fetch(this.node.url + path, request);
  }

  /** @returns the study's id */
  async upload(study: string): Promise<string> {
    const zip = new Blob([Uint8Array.from(sampleZip({ study }))]);
    const answer = await postZip(this.node, this.token, zip);
    expect([answer.status, study]).toEqual([201, study]);
    return ((await answer.json()) as { studies: { id: string }[] }).studies[0]?.id ?? "";
  }

  async studies(): Promise<string[]> {
    const answer = await this.ask("GET", "/api/studies");
    return ((await answer.json()) as Study[]).map(({ studyInstanceUID }) => studyInstanceUID).sort();
  }

  /** The SHA-256 of the download, and the status of a study's metadata under a viewer token. */
  async open(id: string, study: string): Promise<{ download: string; metadata: number }> {
    const download = await this.ask("GET", `/api/studies/${id}/download`);
    expect(download.status).toBe(200);
    const data = btoa(JSON.stringify([{ userId: await this.userId(), id }]));
    const { token } = (await (await this.ask("GET", `/generate-token?data=${data}`)).json()) as {
      token: string;
    };
    const metadata = await fetch(`${this.node.url}/dicomweb/t/${token}/studies/${studyUID(study)}/metadata`);
    await metadata.arrayBuffer();
    const hash = createHash("sha256").update(await download.bytes());
    return { download: hash.digest("hex"), metadata: metadata.status };
  }

  async userId(): Promise<string> {
    return ((await (await this.ask("GET", "/api/auth/me")).json()) as { id: string }).id;
  }
}

test.skipIf(lastRelease === undefined)(
  "the last release and this one serve one installation together, in either order of starting",
  async () => {
    await using stack = new AsyncDisposableStack();
    const database = await createTestDatabase({ migrations: [] });
    stack.defer(() => database.drop());
    const s3 = stack.use(await startFaultyS3Server());
    const oldMain = join(lastRelease ?? "", "src/server/main.ts");
    const env = {
      ...s3Environment(s3.options),
      ...{ DATABASE_URL: database.url, AUTH_SECRET: "one secret for both, long enough for HS256" },
    };
    const oldFolder = stack.use(createTempFolder()).path;
    const newFolder = stack.use(createTempFolder()).path;

    async function startOldAgain(): Promise<ServerProcess> {
      await first.terminate();
      return stack.use(await spawnServer(oldFolder, env, oldMain));
    }

    const first = stack.use(await spawnServer(oldFolder, env, oldMain));
    const old = new Seen(first, await first.signIn());
    const ids = new Map([["1", await old.upload("1")]]);
    const before = await old.open(ids.get("1") ?? "", "1");

    const second = stack.use(await spawnServer(newFolder, env));
    const present = new Seen(second, await second.signIn());
    // Sessions of either version are taken by the other.
    const crossed = [new Seen(second, old.token), new Seen(first, present.token)];
    for (const seen of [...crossed, old, present]) expect(await seen.studies()).toEqual([studyUID("1")]);
    expect(await present.open(ids.get("1") ?? "", "1")).toEqual(before);

    ids.set("2", await old.upload("2"));
    ids.set("3", await present.upload("3"));
    for (const study of ["2", "3"]) {
      const id = ids.get(study) ?? "";
      expect([study, await present.open(id, study)]).toEqual([study, await old.open(id, study)]);
    }
    expect((await old.ask("DELETE", `/api/studies/${ids.get("3")}`)).status).toBe(200);
    expect((await present.ask("DELETE", `/api/studies/${ids.get("2")}`)).status).toBe(200);
    expect(await old.studies()).toEqual([studyUID("1")]);

    // The last release starts again on the schema that this one made, as a node that is moved does. 0.1 can't.
    const again = process.env.LAST_RELEASE_IS_0_1 === undefined ? await startOldAgain() : first;
    const oldAgain = new Seen(again, await again.signIn());
    ids.set("4", await oldAgain.upload("4"));
    const fourth = await present.open(ids.get("4") ?? "", "4");
    expect(await oldAgain.open(ids.get("4") ?? "", "4")).toEqual(fourth);
    expect(await oldAgain.studies()).toEqual([studyUID("1"), studyUID("4")]);

    expect(await again.terminate()).toEqual({ code: 0 });
    const third = stack.use(await spawnServer(oldFolder, env));
    expect(await new Seen(third, await third.signIn()).studies()).toEqual([studyUID("1"), studyUID("4")]);
    await third.terminate();
    await second.terminate();
    const verified = await runProgram({ ...env, DATA_DIR: newFolder }, "verify", "--json");
    expect([verified.complaint, JSON.parse(verified.output || "{}").findings]).toEqual(["", []]);
    for (const node of [first, again]) expect(node.log()).not.toContain('"level":"error"');
  },
  TIMEOUT_MS,
);
