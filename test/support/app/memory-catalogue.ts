import type { ManifestInstance, SeriesManifest } from "../../../src/server/archive/manifest.ts";
import { locateBulkData } from "../../../src/server/dicom/bulk-data.ts";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import type {
  DicomwebCatalogue,
  SeriesRecord,
  StudyRecord,
} from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { createSearchTurns } from "../../../src/server/features/dicomweb/turns/search-turns.ts";
import { ownBytes } from "../../../src/server/runtime/lent-bytes.ts";
import type { Instance } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

interface HeldInstance {
  bytes: Uint8Array;
  instance: Instance;
}

/** A catalogue over instances in memory, for tests of DICOMweb and the viewer without a database. */
export function createMemoryCatalogue(held: HeldInstance[]): DicomwebCatalogue {
  const bytesOf = new Map<string, Uint8Array>(
    held.map(({ bytes, instance }) => [instance.sopInstanceUID, bytes] as const),
  );
  const inOrder = held.toSorted((a, b) => numberOf(a) - numberOf(b));
  const bySeries = Map.groupBy(inOrder, ({ instance }) => instance.seriesInstanceUID);
  const manifests = new Map([...bySeries].map(([uid, instances]) => [uid, manifestOf(instances)]));
  const allSeries = [...bySeries.values()].map(seriesRecord);
  const byStudy = Map.groupBy(held, ({ instance }) => instance.studyInstanceUID);
  const allStudies = [...byStudy.values()].map(studyRecord);

  const whole = (instance: ManifestInstance) => bytesOf.get(instance.sopInstanceUID) ?? new Uint8Array();
  const inStudy = (study: string, series: string) => manifests.get(series)?.studyInstanceUID === study;

  const catalogue: DicomwebCatalogue = {
    studies: async () => allStudies,
    series: async (study) => allSeries.filter((series) => series.studyInstanceUID === study),
    async find(study, series) {
      const [manifest, metadata] = [
        await catalogue.manifest(study, series),
        await catalogue.metadata(study, series),
      ];
      if (!manifest || !metadata) return undefined;
      return { warm: async () => {}, manifest: async () => manifest, metadata: async () => metadata };
    },
    manifest: async (study, series) => (inStudy(study, series) ? manifests.get(series) : undefined),
    async metadata(study, series) {
      if (!inStudy(study, series)) return undefined;
      const json = (bySeries.get(series) ?? []).map(({ instance }) => instance.metadata);
      const texts = json.map((instance) => Buffer.from(JSON.stringify(instance)));
      const bytes = Buffer.from(`[${texts.join()}]`);
      const rangeAt = (at: number) => {
        const before = texts.slice(0, at).reduce((sum, text) => sum + text.length + 1, 1);
        return { offset: before, length: texts[at]?.length ?? 0 };
      };
      return {
        encoding: "zstd",
        version: series,
        inflatedBytes: bytes.length,
        open: async () => Bun.zstdCompressSync(bytes),
        packed: (_coding, pack) => pack(),
        async rangeOf(sopInstanceUID) {
          const at = json.findIndex(
            (instance) => instance[TagHex.SOPInstanceUID]?.Value?.[0] === sopInstanceUID,
          );
          return at < 0 ? undefined : rangeAt(at);
        },
        ranges: async () => texts.map((_, at) => rangeAt(at)),
      };
    },
    derivative: async () => undefined,
    copies: async () => new Map(),
    searching: { turns: createSearchTurns(), searcher: { callerId: "reader" } },
    borrow: async (instance, { offset, length }) => ownBytes(whole(instance).slice(offset, offset + length)),
    read: async (instance, { offset, length }) => whole(instance).slice(offset, offset + length),
    open: async (instance, range) => {
      const bytes = whole(instance) as Uint8Array<ArrayBuffer>;
      return new Blob([range ? bytes.slice(range.offset, range.offset + range.length) : bytes]);
    },
    async openInflated(instance, range) {
      const { source } = parseFile(memorySource(whole(instance)));
      const inflated = new Uint8Array(source.sizeBytes);
      for (let at = 0; at < inflated.length; ) {
        const piece = source.read(at, inflated.length - at);
        inflated.set(piece, at);
        at += piece.length;
      }
      return range ? inflated.slice(range.offset, range.offset + range.length) : inflated;
    },
    locate: async (instance, tagPaths) => locateBulkData(memorySource(whole(instance)), tagPaths),
  };
  return catalogue;
}

const numberOf = ({ instance }: HeldInstance) => instance.index.instanceNumber ?? 0;

function manifestOf(held: HeldInstance[]): SeriesManifest {
  const [first] = held;
  if (!first) throw new Error("a series has instances");
  const { studyInstanceUID, seriesInstanceUID } = first.instance;
  const instances = held.map(
    ({ bytes, instance }): ManifestInstance => ({
      sopInstanceUID: instance.sopInstanceUID,
      sopClassUID: instance.sopClassUID,
      transferSyntaxUID: instance.transferSyntaxUID,
      instanceNumber: instance.index.instanceNumber,
      rows: instance.index.rows,
      columns: instance.index.columns,
      volumeId: "memory",
      dataOffset: 0,
      storedBytes: bytes.length,
      sizeBytes: bytes.length,
      method: 0,
      crc32: 0,
      frames: instance.frames,
    }),
  );
  return { version: 1, studyInstanceUID, seriesInstanceUID, instances };
}

function seriesRecord(held: HeldInstance[]): SeriesRecord {
  const [first] = held;
  if (!first) throw new Error("a series has instances");
  const { studyInstanceUID, seriesInstanceUID, index } = first.instance;
  const { modality, seriesNumber, seriesDescription } = index;
  return {
    studyInstanceUID,
    seriesInstanceUID,
    modality,
    seriesNumber,
    seriesDescription,
    instanceCount: held.length,
    version: held.map(({ instance }) => instance.sopInstanceUID).join(),
  };
}

function studyRecord(held: HeldInstance[]): StudyRecord {
  const [first] = held;
  if (!first) throw new Error("a study has instances");
  const { index } = first.instance;
  return {
    studyInstanceUID: first.instance.studyInstanceUID,
    patientName: index.patientName,
    patientID: index.patientID,
    patientBirthDate: index.patientBirthDate,
    patientSex: index.patientSex,
    studyDescription: index.studyDescription,
    studyDate: index.studyDate,
    studyTime: index.studyTime,
    accessionNumber: index.accessionNumber,
    modalitiesInStudy: [...new Set(held.map(({ instance }) => instance.index.modality ?? "OT"))],
    seriesCount: new Set(held.map(({ instance }) => instance.seriesInstanceUID)).size,
    instanceCount: held.length,
  };
}
