import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { decodeManifestIndex } from "../../../src/server/archive/manifest-codec.ts";
import type { StudyLabel } from "../../../src/server/archive/study-label.ts";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import type { Guess, IngestSession } from "../../../src/server/features/ingest/worker/ingest-session.ts";
import { createIngestWorkers } from "../../../src/server/features/ingest/worker/ingest-workers.ts";
import type {
  BuildPlan,
  BuiltUpload,
  IngestLimits,
  ScanResult,
} from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { sampleFile } from "../dicom/dicom-sample.ts";
import { createTempFolder } from "../temp-folder.ts";

const never = new AbortController().signal;

/** A slice: `uids` are study, series and SOP Instance. */
export function slice(uids: readonly [string, string, string], instanceNumber = 1, more = {}): Uint8Array {
  const [study, series, sop] = uids;
  return sampleFile({
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [study] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [series] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [instanceNumber] },
    ...more,
  });
}

/** Pixel data that deflate well but make the file large. */
export function multiFrame(uids: readonly [string, string, string], frames: number): Uint8Array {
  return slice(uids, 1, {
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] },
    [TagHex.Rows]: { vr: "US", Value: [64] },
    [TagHex.Columns]: { vr: "US", Value: [64] },
    [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.from({ length: frames * 8192 }, (_, i) => i >> 13) },
  });
}

export interface SpooledUpload extends AsyncDisposable {
  folder: string;
  session: IngestSession;
}

/** Real ingest workers on ZIPs in folders of their own. */
export interface IngestBench extends AsyncDisposable {
  folder: string;
  upload(zip: Uint8Array, limits?: Partial<IngestLimits>, signal?: AbortSignal): Promise<SpooledUpload>;
  /** Scans and builds a ZIP on its own. */
  ingest(
    zip: Uint8Array,
    existing?: Existing,
    limits?: Partial<IngestLimits>,
  ): Promise<{ scan: ScanResult & Guess; built: BuiltUpload; folder: string }>;
}

/** `command` starts a worker that is not the real one. */
export function createIngestBench(command?: string[]): IngestBench {
  const folder = createTempFolder();
  const workers = createIngestWorkers({
    size: 2,
    log: { info() {}, warn() {} },
    ...(command && { command }),
  });
  const bench: IngestBench = {
    folder: folder.path,
    async upload(zip, limits = {}, signal = never) {
      const uploadFolder = join(folder.path, Bun.randomUUIDv7());
      await mkdir(uploadFolder);
      const spoolPath = join(uploadFolder, "spool");
      writeFileSync(spoolPath, zip);
      const allLimits = { ...DEFAULT_INGEST_LIMITS, ...limits };
      const session = await workers.open(uploadFolder, spoolPath, allLimits, signal);
      return { folder: uploadFolder, session, [Symbol.asyncDispose]: () => session.dispose() };
    },
    async ingest(zip, existing, limits) {
      await using uploaded = await bench.upload(zip, limits);
      const scan = await uploaded.session.scan();
      const built = await uploaded.session.build(planFor(scan, uploaded.folder, existing));
      return { scan, built, folder: uploaded.folder };
    },
    async [Symbol.asyncDispose]() {
      await workers.close();
      await folder[Symbol.asyncDispose]();
    },
  };
  return bench;
}

const SAMPLE_LABEL: StudyLabel = {
  at: "2026-03-14T10:00:00.000Z",
  accountId: "01960000-0000-7000-8000-000000000001",
  emailHash: "",
  studyId: "01960000-0000-7000-8000-000000000002",
  createdAt: "2026-03-14T10:00:00.000Z",
  overrides: {},
};

/** Manifests in force, by `study/series`. */
export type Existing = Map<string, Uint8Array>;

/** A plan for all that was scanned. */
export function planFor(
  scan: ScanResult & Guess,
  uploadFolder: string,
  existing: Existing = new Map(),
): BuildPlan {
  const guessed = scan.studies.length === 1 ? scan.guessed : undefined;
  const object = () => {
    const id = Bun.randomUUIDv7();
    return { id, path: join(uploadFolder, id) };
  };
  return {
    studies: scan.studies.map(({ studyInstanceUID, series }) => ({
      studyInstanceUID,
      label: SAMPLE_LABEL,
      volume: guessed ? { id: guessed.volumeId, path: join(uploadFolder, guessed.volumeId) } : object(),
      ...(guessed && { guessed }),
      series: series.map(({ seriesInstanceUID }) => ({
        seriesInstanceUID,
        manifest: object(),
        existing: existing.get(`${studyInstanceUID}/${seriesInstanceUID}`),
      })),
    })),
  };
}

export async function manifestsOf(built: BuiltUpload): Promise<Existing> {
  const manifests: Existing = new Map();
  for (const { studyInstanceUID, series } of built.studies) {
    for (const { seriesInstanceUID, manifest } of series) {
      manifests.set(`${studyInstanceUID}/${seriesInstanceUID}`, await Bun.file(manifest.path).bytes());
    }
  }
  return manifests;
}

/** The bytes of every instance of a build, by SOP Instance UID, cut out at the manifests' offsets. */
export async function storedInstances(built: BuiltUpload): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const { volume, series } of built.studies) {
    if (!volume) continue;
    const bytes = await Bun.file(volume.path).bytes();
    for (const { manifest } of series) {
      for (const instance of decodeManifestIndex(await Bun.file(manifest.path).bytes()).instances) {
        if (instance.volumeId !== volume.id) continue;
        const stored = bytes.subarray(instance.dataOffset, instance.dataOffset + instance.storedBytes);
        found.set(instance.sopInstanceUID, instance.method === 8 ? Bun.inflateSync(stored.slice()) : stored);
      }
    }
  }
  return found;
}
