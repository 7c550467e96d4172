import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { createDicomwebSource, type DicomwebSourceOptions } from "../../visor/core/dicomweb-source.ts";
import { type AskFirstImage, withFirstImage } from "../../visor/core/first-image.ts";
import type { SeriesRecord, StackSource } from "../../visor/core/source.ts";

export interface VisitedSource extends StackSource {
  /** Reads what the first image needs ahead, then what the others need. */
  warm(): Promise<void>;
}

/** Reads a study of a visit, which has told its series already. */
export function createVisitedSource(
  { token }: Pick<Visit, "token">,
  study: VisitedStudy,
  options: { viewerOrigin: string; firstImage?: AskFirstImage; get?: DicomwebSourceOptions["get"] },
): VisitedSource {
  const { viewerOrigin, firstImage, ...others } = options;
  const dicomweb = createDicomwebSource({ base: `${viewerOrigin}/dicomweb/t/${token}`, ...others });
  // A visit tells no more than a number of series.
  const isWhole = study.series.length === study.seriesCount;
  const known = study.series.map((series) => recordOf(study, series));
  const largest = known.toSorted((a, b) => b.instanceCount - a.instanceCount)[0];
  let ahead: ReturnType<StackSource["readMetadata"]> | undefined;
  let isRead = false;
  const listed: StackSource = {
    ...dicomweb,
    listSeries: async (uid, signal) => (isWhole ? known : await dicomweb.listSeries(uid, signal)),
    async readMetadata(series, signal, until) {
      isRead = true;
      const taken = series.seriesInstanceUID === largest?.seriesInstanceUID ? ahead : undefined;
      ahead = undefined;
      const metadata = await taken?.catch(() => undefined);
      return metadata ?? (await dicomweb.readMetadata(series, signal, until));
    },
  };
  const begun = firstImage && withFirstImage(listed, firstImage);
  return {
    ...(begun ?? listed),
    async warm() {
      await begun?.begin();
      if (!largest || !isWhole || isRead) return;
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
    studyInstanceUID,
    seriesInstanceUID,
    seriesNumber,
    modality: modality ?? "",
    description: seriesDescription ?? "",
    instanceCount: imagesReceived,
  };
}
