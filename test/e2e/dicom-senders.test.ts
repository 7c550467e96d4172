import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { outcomeOf, stowTo } from "../support/app/stow.ts";
import { connectSender } from "../support/dicom/dicom-sender.ts";
import { listStudies } from "../support/program/sent-uploads.ts";
import { type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { sampleInstance, studyUID } from "../support/zip/sample-zip.ts";

const ASSOCIATIONS = 10;
const BEFORE_KILL = 60;
const TIMEOUT_MS = 240_000;
const SOP_CLASS = "1.2.840.10008.5.1.4.1.1.2";

function portOf(server: ServerProcess): number {
  const [, port] = /"port":(\d+)[^\n]*"event":"dimse\.listening"/.exec(server.log()) ?? [];
  return Number(port);
}

/** Stores instances of one study until the server is gone; adds each that was answered with success. */
async function sendUntilKilled(port: number, study: string, acknowledged: Set<string>): Promise<void> {
  await using sender = await connectSender(port);
  expect(await sender.associate({ called: "CLINICA", calling: `SALA ${study}` })).toBe("accepted");
  for (let sop = 1; ; sop++) {
    const file = Buffer.from(sampleInstance({ study, sop: String(sop), instanceNumber: sop }));
    const sopInstanceUID = `2.25.3.${study}.1.${sop}`;
    const dataSet = file.subarray(144 + file.readUInt32LE(140));
    const status = await sender
      .store({ sopClassUID: SOP_CLASS, sopInstanceUID, dataSet })
      .catch(() => undefined);
    if (status === undefined) return;
    expect(status).toBe(0);
    acknowledged.add(sopInstanceUID);
  }
}

/** Sends two instances a request by STOW-RS until the server is gone; adds each that an answer calls stored. */
async function stowUntilKilled(
  server: ServerProcess,
  token: string,
  study: string,
  acknowledged: Set<string>,
): Promise<void> {
  for (let sop = 1; ; sop += 2) {
    const files = [sop, sop + 1].map((number) =>
      sampleInstance({ study, sop: String(number), instanceNumber: number }),
    );
    try {
      const { status, stored } = await outcomeOf(await stowTo(server.url, token, files));
      expect([status, stored.length]).toEqual([200, 2]);
      for (const uid of stored) acknowledged.add(String(uid));
    } catch (error) {
      if (!server.isKilled) throw error;
      return;
    }
  }
}

test.skipIf(process.platform !== "linux")(
  "every instance that ten associations and ten STOW clients were told is stored is there after kill -9",
  async () => {
    await using folder = createTempFolder();
    // Root's PostgreSQL runs as another account, which has to pass through.
    chmodSync(folder.path, 0o711);
    const acknowledged = new Set<string>();
    const senders = Array.from({ length: ASSOCIATIONS }, (_, n) => String(n + 1));
    const clients = senders.map((study) => `5${study}`);
    const studies = [...senders, ...clients];
    {
      await using server = await spawnServer(folder.path, { DIMSE_PORT: "0" });
      const token = await server.signIn();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ aeTitle: "CLINICA" });
      expect((await fetch(`${server.url}/api/receivers`, { method: "POST", headers, body })).status).toBe(
        201,
      );
      const port = portOf(server);
      const stowed = new Set<string>();
      const sending = [
        ...senders.map((study) => sendUntilKilled(port, study, acknowledged)),
        ...clients.map((study) => stowUntilKilled(server, token, study, stowed)),
      ];
      while (acknowledged.size < BEFORE_KILL || stowed.size < BEFORE_KILL) await Bun.sleep(5);
      await server.killAll();
      await Promise.all(sending);
      for (const uid of stowed) acknowledged.add(uid);
    }
    await using server = await spawnServer(folder.path, { DIMSE_PORT: "0" });
    const token = await server.signIn();
    const wanted = new Map(studies.map((study) => [studyUID(study), 0]));
    for (const uid of acknowledged) {
      const study = studyUID(uid.split(".")[3] ?? "");
      wanted.set(study, (wanted.get(study) ?? 0) + 1);
    }
    for (;;) {
      const listed = new Map(
        (await listStudies(server, token)).map((study) => [study.studyInstanceUID, study] as const),
      );
      const isThere = ([uid, images]: [string, number]) =>
        images === 0 || (listed.get(uid)?.imagesReceived ?? 0) >= images;
      if ([...wanted].every(isThere)) break;
      await Bun.sleep(50);
    }
    const kept = new Set<string>();
    for (const uid of wanted.keys()) {
      const path = `${server.url}/dicomweb/studies/${uid}/instances?includefield=00080018`;
      const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
      if (answer.status !== 200) continue;
      const instances = (await answer.json()) as Record<string, { Value?: string[] }>[];
      for (const instance of instances) kept.add(instance[TagHex.SOPInstanceUID]?.Value?.[0] ?? "");
    }
    expect([...acknowledged].filter((uid) => !kept.has(uid))).toEqual([]);
  },
  TIMEOUT_MS,
);
