import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { createDicomwebSource, type DicomwebSourceOptions } from "../../visor/core/dicomweb-source.ts";
import type { SeriesRecord, StackSource } from "../../visor/core/source.ts";

export interface VisitedSource extends StackSource {
  /** Reads what the first image needs ahead. */
  warm(): void;
}

/** Reads a study of a visit, which has told its series already. */
export function createVisitedSource(
  { token }: Pick<Visit, "token">,
  study: VisitedStudy,
  options: { viewerOrigin: string; get?: DicomwebSourceOptions["get"] },
): VisitedSource {
  const { viewerOrigin, ...others } = options;
  const dicomweb = createDicomwebSource({ base: `${viewerOrigin}/dicomweb/t/${token}`, ...others });
  // A visit tells no more than a number of series.
  const isWhole = study.series.length === study.seriesCount;
  const known = study.series.map((series) => recordOf(study, series));
  const largest = known.toSorted((a, b) => b.instanceCount - a.instanceCount)[0];
  let ahead: ReturnType<StackSource["readMetadata"]> | undefined;
  return {
    ...dicomweb,
    listSeries: async (uid, signal) => (isWhole ? known : await dicomweb.listSeries(uid, signal)),
    async readMetadata(series, signal) {
      const taken = series.seriesInstanceUID === largest?.seriesInstanceUID ? ahead : undefined;
      ahead = undefined;
      const metadata = await taken?.catch(() => undefined);
      return metadata ?? (await dicomweb.readMetadata(series, signal));
    },
    warm() {
      if (!largest || !isWhole) return;
      ahead = dicomweb.readMetadata(largest, new AbortController().signal);
      ahead.catch(() => undefined);
    },
  };
}

function recordOf(
  { studyInstanceUID }: VisitedStudy,
  {
    seriesInstanceUID,
    seriesNumber,
    modality,
    seriesDescription,
    imagesReceived,
  }: VisitedStudy["series"][number],
): SeriesRecord {
  return {
    ...{ studyInstanceUID, seriesInstanceUID, seriesNumber },
    modality: modality ?? "",
    description: seriesDescription ?? "",
    instanceCount: imagesReceived,
  };
}
