import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  hasOrthancDicomweb,
  ORTHANC,
  ORTHANC_DICOMWEB,
  startOrthanc,
} from "../../test/support/dicom/orthanc.ts";
import { rawRequest } from "./raw-http.ts";

/** What is read of a study that the reference archive keeps. */
export interface ReferenceStudy {
  /** DICOM JSON of its first series. */
  metadataUrl: string;
  frameUrls: string[];
  /** The study as one ZIP. */
  archiveUrl: string;
}

/** Orthanc with its DICOMweb plugin, on the same disk as the server under test. */
export interface ReferenceArchive extends AsyncDisposable {
  /** Sends a ZIP. @returns milliseconds until everything in it is kept */
  upload(zipPath: string): Promise<number>;
  /** The only study that it keeps, sent now unless it is there. */
  onlyStudy(zipPath: string): Promise<ReferenceStudy>;
  clear(): Promise<void>;
}

/** As many connections as the bench opens at once have a thread each. */
const OPTIONS = {
  OverwriteInstances: false,
  StorageCompression: false,
  HttpThreadsCount: 50,
  DicomWeb: { Enable: true, Root: "/dicom-web/" },
  Plugins: [ORTHANC_DICOMWEB],
};

/** Starts the reference archive, empty; undefined where it is not installed. */
export async function startReference(folder: string): Promise<ReferenceArchive | undefined> {
  if (ORTHANC === null || !hasOrthancDicomweb) return undefined;
  const path = join(folder, "reference");
  await mkdir(path);
  const remove = () => rm(path, { recursive: true, force: true });
  const orthanc = await startOrthanc(ORTHANC, OPTIONS, { path, [Symbol.asyncDispose]: remove });
  let only: Promise<ReferenceStudy> | undefined;

  async function upload(zipPath: string): Promise<number> {
    const headers = { "Content-Type": "application/zip" };
    const body = [{ path: zipPath }];
    const { status, totalMs } = await rawRequest({
      url: `${orthanc.url}/instances`,
      method: "POST",
      headers,
      body,
    });
    if (status !== 200) throw new Error(`the reference archive answered ${status}`);
    return totalMs;
  }

  async function clear(): Promise<void> {
    only = undefined;
    await orthanc.deleteStudies();
  }

  async function sendOnly(zipPath: string): Promise<ReferenceStudy> {
    await orthanc.deleteStudies();
    await upload(zipPath);
    const [study] = (await orthanc.call("/studies")) as string[];
    const [series] = (await orthanc.call(`/studies/${study}/series`)) as { MainDicomTags: Named }[];
    const { MainDicomTags: named } = (await orthanc.call(`/studies/${study}`)) as { MainDicomTags: Named };
    const ofSeries = `${named.StudyInstanceUID}/series/${series?.MainDicomTags.SeriesInstanceUID}`;
    const seriesUrl = `${orthanc.url}/dicom-web/studies/${ofSeries}`;
    const instances = (await orthanc.call(`/studies/${study}/instances`)) as { MainDicomTags: Named }[];
    return {
      metadataUrl: `${seriesUrl}/metadata`,
      frameUrls: instances.map(
        ({ MainDicomTags }) => `${seriesUrl}/instances/${MainDicomTags.SOPInstanceUID}/frames/1`,
      ),
      archiveUrl: `${orthanc.url}/studies/${study}/archive`,
    };
  }

  return {
    upload,
    clear,
    async onlyStudy(zipPath) {
      only ??= sendOnly(zipPath);
      return await only;
    },
    [Symbol.asyncDispose]: () => orthanc[Symbol.asyncDispose](),
  };
}

/** Attributes by their keywords. */
type Named = Record<string, string>;
