import { isInflatedInPieces } from "../../../archive/instance-reader.ts";
import { ManifestTooLarge } from "../../../archive/manifest.errors.ts";
import { giveUp, piecesOf } from "../../../archive/pieces.ts";
import { runConcurrently } from "../../../db/run-concurrently.ts";
import type { Deps } from "../../../deps.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import { AppError } from "../../../http/app-error.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { SeriesRow, StudyRow } from "../../studies/studies.table.ts";
import { locateElements } from "../bulk-data/locate-elements.ts";
import type {
  Bytes,
  DicomwebCatalogue,
  FoundSeries,
  SeriesRecord,
  StudyRecord,
} from "../dicomweb.catalogue.ts";
import { seriesTooLarge } from "../dicomweb.errors.ts";
import {
  findManifestObject,
  listSeriesInScope,
  listStudiesInScope,
  type Scope,
  type SeriesUIDs,
} from "../dicomweb.repo.ts";
import { MAX_AT_ONCE_BYTES } from "../metadata/metadata.ts";
import type { Searcher } from "../turns/searcher.ts";

/** A series' manifest in force, or the fact that none is in scope. */
export interface FoundManifest extends SeriesUIDs {
  object: StoredObjectRow | undefined;
}

/** The archive within `scope`. Every call asks the database, except for what this request `found` already. */
export function openCatalogue(
  deps: Pick<Deps, "db" | "series" | "scratch" | "elements" | "readingTurns" | "searchTurns">,
  scope: Scope,
  found?: FoundManifest,
): DicomwebCatalogue {
  const { series: reader } = deps;
  const findManifest = async (studyInstanceUID: string, seriesInstanceUID: string) => {
    const isFound =
      found?.studyInstanceUID === studyInstanceUID && found.seriesInstanceUID === seriesInstanceUID;
    if (isFound) return found.object;
    return await findManifestObject(deps.db, scope, { studyInstanceUID, seriesInstanceUID });
  };
  const { userId, isTrial } = scope.caller;
  const searcher: Searcher = { callerId: scope.reader ?? userId, accountId: userId, isTrial };
  const inTurn = (body: Bytes) => inTurnOf(deps, searcher, body);
  return {
    studies: async () => (await listStudiesInScope(deps.db, scope)).map(studyRecord),
    async series(studyInstanceUID) {
      const rows = await listSeriesInScope(deps.db, scope, studyInstanceUID);
      return rows.map((row) => seriesRecord(studyInstanceUID, row));
    },
    async find(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      return object && openSeries(deps, searcher, object);
    },
    async manifest(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      return object && (await openSeries(deps, searcher, object).manifest());
    },
    async metadata(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      return object && (await openSeries(deps, searcher, object).metadata());
    },
    async derivative(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      return object && (await reader.derivative(object));
    },
    // A series changes with its manifest.
    copies: (series) => reader.copies(series.map(({ version }) => version)),
    read: reader.read,
    borrow: reader.borrow,
    async open(instance, range) {
      const body = await reader.open(instance, range);
      return isInflatedInPieces(instance) ? inTurn(body) : body;
    },
    openInflated: async (instance, range) => inTurn(await reader.openInflated(instance, range)),
    searching: { turns: deps.searchTurns, searcher },
    async locate(instance, tagPaths) {
      deps.readingTurns.assertRoom(searcher);
      return await locateElements({ ...deps, searcher }, instance, tagPaths);
    },
  };
}

/**
 * A series by its manifest, for a reader who may see it; long metadata are inflated in turn with other readers.
 * @param mayHaveCopy leaves out the look-up of a copy that is known not to be there
 */
export function openSeries(
  deps: Pick<Deps, "series" | "readingTurns">,
  reader: Searcher,
  object: StoredObjectRow,
  mayHaveCopy = true,
): FoundSeries {
  const findCopy = async () => (mayHaveCopy ? await deps.series.derivative(object) : undefined);
  return {
    async warm(needsMetadata) {
      // The metadata name the copy.
      const copy = needsMetadata ? findCopy() : Promise.resolve();
      await runConcurrently(opened(deps.series.warm(object, needsMetadata)), copy);
    },
    manifest: () => opened(deps.series.manifest(object)),
    async metadata() {
      const stored = await opened(deps.series.metadata(object, findCopy()));
      if (stored.inflatedBytes <= MAX_AT_ONCE_BYTES) return stored;
      return { ...stored, open: async () => inTurnOf(deps, reader, await stored.open()) };
    },
  };
}

function inTurnOf({ readingTurns }: Pick<Deps, "readingTurns">, reader: Searcher, body: Bytes): Bytes {
  readingTurns.assertRoom(reader);
  return streamOf(readingTurns.inTurn(reader, piecesOf(body)), () => giveUp(body));
}

/** An older upload may have stored a series larger than new uploads may be. @throws {AppError} `series.too_large` */
async function opened<Opened>(opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ManifestTooLarge) throw new AppError(seriesTooLarge, { cause: error });
    throw error;
  }
}

/** A study as its instances describe it; the upload form's values appear in the list only. */
export function studyRecord(row: StudyRow): StudyRecord {
  const said = { ...row, ...row.instanceValues };
  return {
    studyInstanceUID: row.studyInstanceUID,
    patientName: said.patientName,
    patientID: said.patientID,
    patientBirthDate: said.patientBirthDate,
    patientSex: said.patientSex,
    studyDescription: said.description,
    studyDate: said.studyDate,
    studyTime: said.studyTime,
    accessionNumber: said.accessionNumber,
    modalitiesInStudy: said.modality?.split("\\") ?? [],
    seriesCount: row.seriesCount,
    instanceCount: row.instanceCount,
    attributes: row.attributes,
  };
}

export function seriesRecord(studyInstanceUID: string, row: SeriesRow): SeriesRecord {
  return {
    studyInstanceUID,
    seriesInstanceUID: row.seriesInstanceUID,
    modality: row.modality,
    seriesNumber: row.seriesNumber,
    seriesDescription: row.description,
    instanceCount: row.instanceCount,
    version: row.manifestId,
    attributes: row.attributes,
  };
}
