import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { DEFLATED, JPEG_BASELINE, sampleFile } from "../dicom/dicom-sample.ts";
import type { Person, TestApp } from "./test-app.ts";

/** Bytes that do not compress, the same each time. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const us = (value: number) => ({ vr: "US", Value: [value] });
const ui = (value: string) => ({ vr: "UI", Value: [value] });

function square(side: number, frames: number, seed: number) {
  return {
    [TagHex.Rows]: us(side),
    [TagHex.Columns]: us(side),
    ...(frames > 1 && { [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] } }),
    [TagHex.PixelData]: { vr: "OW", bytes: noise(side * side * 2 * frames, seed) },
  };
}

/** Instances of study 1 of each kind that is kept in a way of its own, by name. */
export function sampleKinds(): Record<string, Uint8Array> {
  const series = (number: string, sop: string, elements: DicomElements, transferSyntaxUID?: string) =>
    sampleFile(
      {
        [TagHex.StudyInstanceUID]: ui("2.25.1.1"),
        [TagHex.SeriesInstanceUID]: ui(`2.25.2.1.${number}`),
        [TagHex.SOPInstanceUID]: ui(`2.25.3.1.${number}.${sop}`),
        ...elements,
      },
      transferSyntaxUID ? { transferSyntaxUID } : {},
    );
  return {
    stored: series("1", "1", square(80, 1, 1)),
    deflated: series("1", "2", square(80, 1, 2)),
    frames: series("2", "1", square(60, 5, 3)),
    encapsulated: series(
      "3",
      "1",
      {
        [TagHex.NumberOfFrames]: { vr: "IS", Value: [3] },
        [TagHex.PixelData]: { vr: "OB", fragments: [noise(9000, 4), noise(7000, 5), noise(8000, 6)] },
      },
      JPEG_BASELINE,
    ),
    deflatedDataSet: series("4", "1", square(64, 1, 7), DEFLATED),
    bulk: series("5", "1", { "00420011": { vr: "OB", bytes: noise(12_000, 8) }, ...square(8, 1, 9) }),
  };
}

/** As a person packs them: some deflated, some as they are. */
export function packed(instances: Record<string, Uint8Array>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(instances).map(([name, bytes]) => [
        name,
        [bytes, { level: name === "stored" || name === "encapsulated" ? 0 : 6 }],
      ]),
    ),
  );
}

/** An object at rest, to be changed behind the server's back. */
export interface RestingObject {
  id: string;
  kind: string;
  bytes: Buffer;
  flip(...offsets: number[]): void;
  cut(lengthBytes: number): void;
  /** Adds a hole at its end, which takes no room on the disk. */
  stretch(lengthBytes: number): void;
  remove(): void;
  restore(): void;
}

export async function restingObjects(t: TestApp, studyId: string): Promise<RestingObject[]> {
  const rows = await t.sql<{ id: string; kind: string; key: string }[]>`
    select id, kind, key from stored_objects where study_id = ${studyId} order by kind, id`;
  return rows.map(({ id, kind, key }) => {
    const path = join(t.deps.config.dataDir, "objects", key);
    const bytes = readFileSync(path);
    return {
      ...{ id, kind, bytes },
      flip(...offsets) {
        const changed = Buffer.from(bytes);
        for (const at of offsets) changed[at] = (changed[at] ?? 0) ^ 0x55;
        writeFileSync(path, changed);
      },
      cut: (lengthBytes) => writeFileSync(path, bytes.subarray(0, lengthBytes)),
      stretch: (lengthBytes) => truncateSync(path, lengthBytes),
      remove: () => rmSync(path),
      restore: () => writeFileSync(path, bytes),
    };
  });
}

export interface Answer {
  status: number;
  /** Undefined if the connection broke before the end. */
  bytes: Buffer | undefined;
}

/** Every way to read bytes of the sample study, over a viewer token and a session, as a download and by range. */
export async function readEverything(
  t: Pick<TestApp, "app">,
  as: Person,
  studyId: string,
): Promise<Map<string, Answer>> {
  const paths = await pathsOf(t, as, studyId);
  const answers = new Map<string, Answer>();
  for (const [path, headers] of paths) {
    const response = await get(t, path, as, headers);
    const [, boundary] = /boundary="?([^";]+)/.exec(response.headers.get("content-type") ?? "") ?? [];
    const bytes = await response.arrayBuffer().then(
      (body) => withoutBoundary(Buffer.from(body), boundary),
      () => undefined,
    );
    answers.set(`${path.replace(/\/t\/[^/]+/, "")} ${headers.range ?? ""}`, {
      status: response.status,
      bytes,
    });
  }
  return answers;
}

/** Each answer in parts has a boundary of its own. */
function withoutBoundary(body: Buffer, boundary: string | undefined): Buffer {
  return boundary ? Buffer.from(body.toString("latin1").replaceAll(boundary, "boundary"), "latin1") : body;
}

async function get(
  { app }: Pick<TestApp, "app">,
  path: string,
  as: Person,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await app.request(path, { headers: { authorization: `Bearer ${as.token}`, ...headers } });
}

async function pathsOf(
  t: Pick<TestApp, "app">,
  as: Person,
  studyId: string,
): Promise<[path: string, headers: Record<string, string>][]> {
  const data = Buffer.from(JSON.stringify([{ userId: as.id, id: studyId }])).toString("base64url");
  const opened = await get(t, `/generate-token?data=${data}`, as);
  const { token } = (await opened.json()) as { token: string };
  const bytes = { accept: "application/octet-stream; transfer-syntax=*" };
  const dicom = { accept: "application/dicom; transfer-syntax=*" };
  const json = { accept: "application/dicom+json" };
  const study = `/dicomweb/t/${token}/studies/2.25.1.1`;
  const instance = (series: string, sop: string) =>
    `${study}/series/2.25.2.1.${series}/instances/2.25.3.1.${series}.${sop}`;
  const frames = [
    ["1", "1", 1],
    ["1", "2", 1],
    ["2", "1", 5],
    ["3", "1", 3],
    ["4", "1", 1],
    ["5", "1", 1],
  ] as const;
  return [
    ...frames.flatMap(([series, sop, count]): [string, Record<string, string>][] => [
      // A viewer token never opens an image as a file; a session downloads it.
      [instance(series, sop).replace(`/t/${token}`, ""), dicom],
      ...Array.from({ length: count }, (_, i): [string, Record<string, string>] => [
        `${instance(series, sop)}/frames/${i + 1}`,
        bytes,
      ]),
      [`${study}/series/2.25.2.1.${series}/metadata`, json],
    ]),
    [`${instance("2", "1")}/frames/2,4`, { accept: 'multipart/related; type="application/octet-stream"' }],
    [`${instance("5", "1")}/bulkdata/00420011`, bytes],
    [`${instance("1", "1")}/metadata`, json],
    [`/api/studies/${studyId}/download`, {}],
    ...["bytes=0-99", "bytes=100-", "bytes=70000-140000", "bytes=-300"].map(
      (range): [string, Record<string, string>] => [`/api/studies/${studyId}/download`, { range }],
    ),
  ];
}
