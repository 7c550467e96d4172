import { TagHex } from "../../../../shared/dicom/tags.ts";
import type { Sql } from "../../../db/postgres.ts";
import { listRehearsedStudies, type RehearsedStudy } from "./rehearsed-studies.repo.ts";

/** A server on a restored backup, and a session of an admin there. */
export interface RestoredServer {
  url: string;
  token: string;
  adminId: string;
  sql: Sql;
}

/** The trial of one study; `problem` says what failed. */
export interface StudyTrial {
  studyInstanceUID: string;
  /** SHA-256 of the opened frame; absent for a study without images. */
  frameSha256?: string;
  /** SHA-256 of the download, if this study was downloaded. */
  downloadSha256?: string;
  problem?: string;
}

export interface Rehearsal {
  studies: number;
  framesOpened: number;
  downloads: number;
  trials: StudyTrial[];
}

/** How many studies are downloaded and compared; a frame of every study is opened. */
const DOWNLOADS = 10;

/** Opens a frame of every study and downloads ten studies, over HTTP as users do. It continues after a failure. */
export async function rehearse(
  server: RestoredServer,
  signal: AbortSignal,
  onProgress: (studies: number) => void = () => {},
): Promise<Rehearsal> {
  const rehearsal: Rehearsal = { studies: 0, framesOpened: 0, downloads: 0, trials: [] };
  for await (const study of listRehearsedStudies(server.sql)) {
    signal.throwIfAborted();
    const trial: StudyTrial = { studyInstanceUID: study.studyInstanceUID };
    try {
      const frame = await openFrame(server, study);
      if (frame) {
        trial.frameSha256 = sha256(frame);
        rehearsal.framesOpened++;
      }
      if (rehearsal.downloads < DOWNLOADS && study.downloadSha256 !== null) {
        trial.downloadSha256 = await download(server, study);
        if (trial.downloadSha256 !== study.downloadSha256)
          throw new Error("the download differs from what was stored");
        rehearsal.downloads++;
      }
    } catch (error) {
      trial.problem = error instanceof Error ? error.message : String(error);
    }
    rehearsal.trials.push(trial);
    onProgress(++rehearsal.studies);
  }
  return rehearsal;
}

/** The frame alone, as it is stored: parts have a boundary, of which no two are the same. */
const AS_STORED = "application/octet-stream; transfer-syntax=*";

/** Opens the middle frame of the first series with images; `undefined` if the study has none. */
async function openFrame(server: RestoredServer, study: RehearsedStudy): Promise<Uint8Array | undefined> {
  const data = Buffer.from(JSON.stringify([{ userId: server.adminId, id: study.id }])).toString("base64url");
  const issued = await ask(server, `/generate-token?data=${data}`);
  const { token, obstacle } = (await issued.json()) as { token: string; obstacle: string | null };
  const root = `/dicomweb/t/${token}/studies/${study.studyInstanceUID}`;
  const seriesList = (await (await ask(server, `${root}/series`)).json()) as DicomJson[];
  for (const series of seriesList) {
    const seriesPath = `${root}/series/${uidOf(series, TagHex.SeriesInstanceUID)}`;
    const instances = (await (await ask(server, `${seriesPath}/metadata`)).json()) as DicomJson[];
    const images = instances.filter((instance) => instance[TagHex.Rows] !== undefined);
    const middle = images[Math.floor(images.length / 2)];
    if (!middle || obstacle === "no_images") continue;
    const frame = await ask(
      server,
      `${seriesPath}/instances/${uidOf(middle, TagHex.SOPInstanceUID)}/frames/1`,
      { accept: AS_STORED },
    );
    const bytes = await frame.bytes();
    if (bytes.length === 0) throw new Error("the frame is empty");
    return bytes;
  }
  return undefined;
}

type DicomJson = Record<string, { Value?: unknown[] } | undefined>;

function uidOf(dataSet: DicomJson, tag: string): string {
  return String(dataSet[tag]?.Value?.[0]);
}

async function download(server: RestoredServer, { id }: RehearsedStudy): Promise<string> {
  const answer = await ask(server, `/api/studies/${id}/download`);
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of answer.body ?? []) hasher.update(chunk);
  return hasher.digest("hex");
}

async function ask(
  { url, token }: RestoredServer,
  path: string,
  headers?: { accept: string },
): Promise<Response> {
  const answer = await fetch(url + path, { headers: { ...headers, authorization: `Bearer ${token}` } });
  if (!answer.ok)
    throw new Error(
      `${path.replace(/\/t\/[^/]+/, "/t/…").replace(/data=.*/, "data=…")} answered ${answer.status}`,
    );
  return answer;
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
