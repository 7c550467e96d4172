import { unzipSync, zipSync } from "fflate";
import { type GeneratedInstance, generateStudy, STUDY_KINDS } from "../../../scripts/demo/phantom/study.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { sha256 } from "./stored-bytes.ts";

/** An upload as its sender knows it. */
export interface SentUpload {
  zip: Uint8Array;
  /** `studyInstanceUID sha256` of each instance. */
  instances: Set<string>;
  isAcknowledged: boolean;
}

/** ZIPs to send, each another way to touch the archive: a study, two at once, one in parts that overlap. */
export function makeUploads(seed: string, count: number): SentUpload[] {
  const uploads: SentUpload[] = [];
  for (let n = 0; uploads.length < count; n++) {
    const study = smallStudy(`${seed}-${n}`, n);
    // Every other one in the names of a disc that leave room for those of a volume: it becomes its volume.
    const send = n % 8 < 4 ? sent : sentAsVolume;
    if (n % 4 === 2) uploads.push(send([...study, ...smallStudy(`${seed}-${n}-second`, n + 1)]));
    else if (n % 4 !== 3 || study.length < 3) uploads.push(send(study));
    else uploads.push(send(study.slice(0, -1)), send(study.slice(1)), send(study.slice(0, 2)));
  }
  return uploads;
}

function smallStudy(seed: string, n: number): GeneratedInstance[] {
  const kind = STUDY_KINDS[n % STUDY_KINDS.length] ?? "ct-head";
  return [...generateStudy({ kind, seed, size: 24, instances: 4, frames: 3 })];
}

function sentAsVolume(instances: GeneratedInstance[]): SentUpload {
  return sent(instances, (_, i) => `PACIENTE/EXAMES/CT/IM${String(i).padStart(10, "0")}`);
}

function sent(
  instances: GeneratedInstance[],
  nameOf = ({ attributes }: GeneratedInstance, _i: number) => `${attributes.sopInstanceUID}.dcm`,
): SentUpload {
  const entries = instances.map((instance, i) => [nameOf(instance, i), instance.bytes] as const);
  return {
    zip: zipSync(Object.fromEntries(entries), { level: 1 }),
    instances: new Set(
      instances.map(({ attributes, bytes }) => `${attributes.studyInstanceUID} ${sha256(bytes)}`),
    ),
    isAcknowledged: false,
  };
}

interface Server {
  url: string;
}

export async function listStudies(server: Server, token: string): Promise<Study[]> {
  const answer = await fetch(`${server.url}/api/studies`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`list: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Study[];
}

/** SHA-256 of each instance in the file of a study. */
export async function downloadHashes(server: Server, token: string, studyId: string): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/studies/${studyId}/download`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`download: ${answer.status} ${await answer.text()}`);
  // A download that is cut rejects here.
  return Object.values(unzipSync(new Uint8Array(await answer.arrayBuffer()))).map(sha256);
}

/** Differences between a server's studies and the uploads it acknowledged. */
export interface UploadDifferences {
  /** Acknowledged, yet not all there. */
  lost: number;
  /** Stored instances that belong to no upload that is there whole. */
  halves: string[];
  /** Studies whose counts in the list are not those of their files. */
  miscounted: string[];
  studies: number;
}

export async function compareWithServer(
  server: Server,
  token: string,
  uploads: readonly SentUpload[],
): Promise<UploadDifferences> {
  const stored = new Set<string>();
  const miscounted: string[] = [];
  const studies = await listStudies(server, token);
  for (const { id, studyInstanceUID, imagesReceived } of studies) {
    const hashes = await downloadHashes(server, token, id);
    for (const hash of hashes) stored.add(`${studyInstanceUID} ${hash}`);
    if (hashes.length !== imagesReceived || new Set(hashes).size !== hashes.length)
      miscounted.push(studyInstanceUID);
  }
  const whole = uploads.filter(({ instances }) => instances.isSubsetOf(stored));
  const explained = new Set(whole.flatMap(({ instances }) => [...instances]));
  return {
    lost: uploads.filter((upload) => upload.isAcknowledged && !whole.includes(upload)).length,
    halves: [...stored.difference(explained)],
    miscounted,
    studies: studies.length,
  };
}
