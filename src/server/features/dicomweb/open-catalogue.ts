import { isInflatedInPieces } from "../../archive/instance-reader.ts";
import { ManifestTooLarge } from "../../archive/manifest.errors.ts";
import { piecesOf } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { AppError } from "../../http/app-error.ts";
import { streamOf } from "../../http/stream-of.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";
import type { Bytes, DicomwebCatalogue, SeriesRecord, StudyRecord } from "./dicomweb.catalogue.ts";
import { seriesTooLarge } from "./dicomweb.errors.ts";
import {
  findManifestObject,
  listSeriesInScope,
  listStudiesInScope,
  type Scope,
  type SeriesUIDs,
} from "./dicomweb.repo.ts";
import { locateElement } from "./locate-element.ts";
import { matchSeries, matchStudies } from "./match-studies.ts";
import { MAX_AT_ONCE_BYTES } from "./metadata.ts";

/** A series' manifest in force, or the fact that none is in scope. */
export interface FoundManifest extends SeriesUIDs {
  object: StoredObjectRow | undefined;
}

/** The archive within `scope`. Every call asks the database, except for what this request `found` already. */
export function openCatalogue(
  deps: Pick<Deps, "db" | "series" | "scratch" | "elements" | "readingTurns">,
  scope: Scope,
  found?: FoundManifest,
): DicomwebCatalogue {
  const { series: reader } = deps;
  const readerId = scope.reader ?? scope.caller.userId;
  const findManifest = async (studyInstanceUID: string, seriesInstanceUID: string) => {
    const isFound =
      found?.studyInstanceUID === studyInstanceUID && found.seriesInstanceUID === seriesInstanceUID;
    if (isFound) return found.object;
    return await findManifestObject(deps.db, scope, { studyInstanceUID, seriesInstanceUID });
  };
  const inTurn = (body: Bytes): Bytes => {
    deps.readingTurns.assertRoom(readerId);
    return streamOf(deps.readingTurns.inTurn(readerId, piecesOf(body)));
  };
  return {
    async studies(query) {
      const rows = await listStudiesInScope(deps.db, scope);
      return matchStudies(rows.map(studyRecord), query);
    },
    async series(studyInstanceUID, query) {
      const rows = await listSeriesInScope(deps.db, scope, studyInstanceUID);
      return matchSeries(
        rows.map((row) => seriesRecord(studyInstanceUID, row)),
        query,
      );
    },
    async manifest(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      return object && (await opened(reader.manifest(object)));
    },
    async metadata(studyInstanceUID, seriesInstanceUID) {
      const object = await findManifest(studyInstanceUID, seriesInstanceUID);
      const stored = object && (await opened(reader.metadata(object)));
      if (!stored || stored.inflatedBytes <= MAX_AT_ONCE_BYTES) return stored;
      return { ...stored, open: async () => inTurn(await stored.open()) };
    },
    read: reader.read,
    borrow: reader.borrow,
    async open(instance, range) {
      const body = await reader.open(instance, range);
      return isInflatedInPieces(instance) ? inTurn(body) : body;
    },
    openInflated: async (instance, range) => inTurn(await reader.openInflated(instance, range)),
    async locate(instance, tagPath) {
      deps.readingTurns.assertRoom(readerId);
      return await locateElement(deps, instance, tagPath);
    },
  };
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
function studyRecord(row: StudyRow): StudyRecord {
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
  };
}

function seriesRecord(studyInstanceUID: string, row: SeriesRow): SeriesRecord {
  return {
    studyInstanceUID,
    seriesInstanceUID: row.seriesInstanceUID,
    modality: row.modality,
    seriesNumber: row.seriesNumber,
    seriesDescription: row.description,
    instanceCount: row.instanceCount,
  };
}
