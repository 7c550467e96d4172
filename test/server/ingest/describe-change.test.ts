import { expect, test } from "bun:test";
import { describeChange } from "../../../src/server/features/ingest/describe-change.ts";
import type { FinishedUpload } from "../../../src/server/features/ingest/finished-upload.ts";

const SERIES = 1_000;

/** An upload of one study with very many series, which counts how often the UIDs of its series are read. */
function manySeries(): { finished: FinishedUpload; reads: () => number } {
  let reads = 0;
  const studyInstanceUID = "2.25.1";
  const uids = Array.from({ length: SERIES }, (_, n) => `2.25.1.${n}`);
  const scannedSeries = uids.map((uid, n) => ({
    get seriesInstanceUID() {
      reads++;
      return uid;
    },
    index: { seriesNumber: n },
  }));
  const series = uids.map((seriesInstanceUID) => ({
    seriesInstanceUID,
    instanceCount: 1,
    manifest: { id: Bun.randomUUIDv7(), path: "manifest", sizeBytes: 1, sha256: "" },
  }));
  const study = {
    studyInstanceUID,
    newInstances: SERIES,
    duplicates: 0,
    duplicateNames: [],
    duplicateVolumes: [],
    series,
    conflicts: [],
    leftOut: [],
  };
  const label = { studyId: Bun.randomUUIDv7(), createdAt: new Date(0).toISOString() };
  const finished = {
    upload: { id: Bun.randomUUIDv7(), accountId: Bun.randomUUIDv7(), folder: "", mayBeStored: false },
    metadata: {},
    scan: {
      studies: [{ studyInstanceUID, index: {}, modalities: [], series: scannedSeries, duplicates: 0 }],
    },
    plan: { build: { studies: [{ studyInstanceUID, label }] } },
    built: { studies: [study] },
    isArchived: false,
  } as unknown as FinishedUpload;
  return { finished, reads: () => reads };
}

test("an upload of very many series takes a step for each of them, not for each pair", () => {
  const { finished, reads } = manySeries();
  const deps = { clock: { now: () => new Date(0) }, node: { id: "" } };
  const change = describeChange(deps as Parameters<typeof describeChange>[0], finished, new Map());
  expect(change.series.map(({ seriesNumber }) => seriesNumber)).toEqual([...Array(SERIES).keys()]);
  expect(reads()).toBeLessThanOrEqual(4 * SERIES);
});
