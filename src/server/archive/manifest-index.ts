import type { FrameTable } from "../../shared/dicom/reading/frame-table.ts";
import { ManifestError } from "./manifest.errors.ts";
import {
  type KeptVariant,
  MAX_FORMER_VOLUMES,
  type ManifestInstance,
  type SeriesManifest,
} from "./manifest.ts";
import { parseLabel } from "./study-label.ts";

/** The order of a series: InstanceNumber (those without one last), then SOP Instance UID. */
export function compareInstances(a: ManifestInstance, b: ManifestInstance): number {
  const left = a.instanceNumber ?? Number.POSITIVE_INFINITY;
  const right = b.instanceNumber ?? Number.POSITIVE_INFINITY;
  if (left !== right) return left < right ? -1 : 1;
  if (a.sopInstanceUID === b.sopInstanceUID) return 0;
  return a.sopInstanceUID < b.sopInstanceUID ? -1 : 1;
}

/**
 * Checks the JSON of a manifest's index.
 * @throws {ManifestError} that names the first invalid member
 */
export function parseSeriesManifest(json: unknown): { manifest: SeriesManifest; metadataLengths: number[] } {
  const index = asObject(json, "index");
  check(index.version === 1, "version");
  const instances = asArray(index.instances, "instances").map(parseInstance);
  const metadataLengths = asArray(index.metadataLengths, "metadataLengths").map((v) =>
    asCount(v, "metadataLengths"),
  );
  check(instances.length === metadataLengths.length, "metadataLengths");
  const manifest: SeriesManifest = {
    version: 1,
    studyInstanceUID: asText(index.studyInstanceUID, "studyInstanceUID"),
    seriesInstanceUID: asText(index.seriesInstanceUID, "seriesInstanceUID"),
    instances,
    ...(index.variants !== undefined && {
      variants: asArray(index.variants, "variants").map(parseVariant),
    }),
  };
  const label = parseLabel(index.label);
  return { manifest: { ...manifest, ...(label && { label }) }, metadataLengths };
}

function parseVariant(json: unknown): KeptVariant {
  const entry = asObject(json, "variant");
  const { method } = entry;
  const sizeBytes = asCount(entry.sizeBytes, "sizeBytes");
  const storedBytes = asCount(entry.storedBytes, "storedBytes");
  if (method !== 0 && method !== 8) throw new ManifestError("method");
  check(method === 8 || sizeBytes === storedBytes, "storedBytes");
  return {
    sopInstanceUID: asText(entry.sopInstanceUID, "sopInstanceUID"),
    volumeId: asText(entry.volumeId, "volumeId"),
    dataOffset: asCount(entry.dataOffset, "dataOffset"),
    storedBytes,
    sizeBytes,
    method,
    crc32: asCount(entry.crc32, "crc32"),
    ...(entry.contentHash !== undefined && { contentHash: asText(entry.contentHash, "contentHash") }),
    ...(entry.formerVolumeIds !== undefined && { formerVolumeIds: asVolumeIds(entry.formerVolumeIds) }),
  };
}

function asVolumeIds(json: unknown): string[] {
  const ids = asArray(json, "formerVolumeIds");
  check(ids.length <= MAX_FORMER_VOLUMES, "formerVolumeIds");
  return ids.map((id) => asText(id, "formerVolumeIds"));
}

function parseInstance(json: unknown): ManifestInstance {
  const instance = asObject(json, "instance");
  const { contentHash, formerVolumeIds, ...kept } = parseVariant(json);
  return {
    sopInstanceUID: kept.sopInstanceUID,
    sopClassUID: asText(instance.sopClassUID, "sopClassUID"),
    transferSyntaxUID: asText(instance.transferSyntaxUID, "transferSyntaxUID"),
    instanceNumber: asNumberOrNull(instance.instanceNumber, "instanceNumber"),
    rows: asNumberOrNull(instance.rows, "rows"),
    columns: asNumberOrNull(instance.columns, "columns"),
    volumeId: kept.volumeId,
    dataOffset: kept.dataOffset,
    storedBytes: kept.storedBytes,
    sizeBytes: kept.sizeBytes,
    method: kept.method,
    crc32: kept.crc32,
    frames: parseFrames(instance.frames),
    ...(contentHash !== undefined && { contentHash }),
    ...(formerVolumeIds && { formerVolumeIds }),
  };
}

function parseFrames(json: unknown): FrameTable {
  const table = asObject(json, "frames");
  if (table.kind === "none") return { kind: "none" };
  if (table.kind === "native" && isBelowNone(table.frameCount)) return { kind: "none" };
  const frameCount = asCount(table.frameCount, "frameCount");
  if (table.kind === "encapsulated") {
    const frames = asFragmentLists(table.frames);
    check(frames.length === frameCount, "frameCount");
    return { kind: "encapsulated", frameCount, frames };
  }
  check(table.kind === "native", "kind");
  const native: FrameTable = {
    kind: "native",
    frameCount,
    offset: asCount(table.offset, "offset"),
    frameBytes: asCount(table.frameBytes, "frameBytes"),
  };
  if (table.frameBits !== undefined) native.frameBits = asCount(table.frameBits, "frameBits");
  if (table.deflated !== undefined) native.deflated = table.deflated === true;
  return native;
}

/** Manifests of older releases count fewer than no frames where Rows, Columns, samples or bits are negative. Such an image has none. */
function isBelowNone(frameCount: unknown): boolean {
  return typeof frameCount === "number" && frameCount < 0;
}

/** Checks the frames in place: there can be hundreds of thousands, and a copy would double the memory. */
function asFragmentLists(json: unknown): [offset: number, length: number][][] {
  const frames = asArray(json, "frames");
  for (const frame of frames) {
    for (const fragment of asArray(frame, "frame")) {
      const pair = asArray(fragment, "fragment");
      check(pair.length === 2, "fragment");
      asCount(pair[0], "fragment");
      asCount(pair[1], "fragment");
    }
  }
  return frames as [offset: number, length: number][][];
}

function check(condition: boolean, member: string): asserts condition {
  if (!condition) throw new ManifestError(member);
}

function asObject(json: unknown, member: string): Record<string, unknown> {
  check(typeof json === "object" && json !== null && !Array.isArray(json), member);
  return json as Record<string, unknown>;
}

function asArray(json: unknown, member: string): unknown[] {
  check(Array.isArray(json), member);
  return json;
}

function asText(json: unknown, member: string): string {
  check(typeof json === "string", member);
  return json;
}

/** A whole number, 0 or more. */
function asCount(json: unknown, member: string): number {
  check(typeof json === "number" && Number.isSafeInteger(json) && json >= 0, member);
  return json;
}

function asNumberOrNull(json: unknown, member: string): number | null {
  check(json === null || (typeof json === "number" && Number.isFinite(json)), member);
  return json;
}
