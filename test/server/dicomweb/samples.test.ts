import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { cutFrame } from "../../support/dicom/cut-frame.ts";
import { partsOf } from "../../support/dicom/parts-of.ts";

const PARTS = 'multipart/related; type="application/octet-stream"';

/** The addresses that metadata name. */
function namedIn(json: DicomJson): string[] {
  return Object.values(json).flatMap(({ BulkDataURI, Value = [] }) =>
    BulkDataURI === undefined
      ? Value.flatMap((item) => (typeof item === "object" && item ? namedIn(item as DicomJson) : []))
      : [BulkDataURI],
  );
}

const SAMPLES = process.env.DICOM_SAMPLES;

describe.skipIf(!SAMPLES)("real files over DICOMweb", () => {
  test("each instance comes back bit for bit, with its metadata and its first and last frame", async () => {
    const folder = SAMPLES ?? "";
    const names = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".dcm"));
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(join(folder, String(name))));
      const read = readInstance(memorySource(bytes));
      if (!read.ok) continue;
      const { instance } = read;
      const { studyInstanceUID, seriesInstanceUID, sopInstanceUID, frames } = instance;
      const catalogue = createMemoryCatalogue([{ bytes, instance }]);
      const app = dicomwebApp(() => catalogue);
      const series = `/dicomweb/t/x/studies/${studyInstanceUID}/series/${seriesInstanceUID}`;
      const get = (path: string, accept: string) => app.request(series + path, { headers: { accept } });

      const metadata = await get("/metadata", "application/dicom+json");
      expect(await metadata.json(), String(name)).toMatchObject([
        { [TagHex.SOPInstanceUID]: { Value: [sopInstanceUID] } },
      ]);
      const file = await get(`/instances/${sopInstanceUID}`, "application/dicom; transfer-syntax=*");
      expect(Buffer.from(await file.arrayBuffer()).equals(bytes), String(name)).toBe(true);
      const all = await get(`/instances/${sopInstanceUID}/bulkdata`, PARTS);
      const uris = namedIn(instance.metadata).map((uri) => `${series}/${uri}`);
      expect(all.status, String(name)).toBe(uris.length > 0 ? 200 : 404);
      const parts = all.status === 200 ? await partsOf(all) : [];
      const named = new Set(
        parts.map(({ location }) => location.replace(/frames\/\d+$/, "bulkdata/7FE00010")),
      );
      expect([...named].sort(), String(name)).toEqual(uris.sort());
      for (const { location, body } of parts.length > 20
        ? [parts[0], parts.at(-1)].flatMap((part) => part ?? [])
        : parts) {
        const alone = await get(location.slice(series.length), "application/octet-stream; transfer-syntax=*");
        expect(body.equals(await alone.bytes()), `${name} ${location}`).toBe(true);
      }
      if (frames.kind === "none" || (frames.kind === "native" && frames.deflated)) continue;
      for (const frameNumber of new Set([1, frames.frameCount])) {
        const frame = await get(
          `/instances/${sopInstanceUID}/frames/${frameNumber}`,
          "application/octet-stream; transfer-syntax=*",
        );
        expect(frame.status, `${name} frame ${frameNumber}`).toBe(200);
        const expected = cutFrame(bytes, frames, frameNumber - 1) ?? new Uint8Array();
        expect(Buffer.from(await frame.arrayBuffer()).equals(expected), `${name} frame ${frameNumber}`).toBe(
          true,
        );
      }
    }
  }, 240_000);
});
