import * as z from "zod/mini";
import { type StudiesDownloadTicket, studiesDownloadTicketCall } from "../../../shared/api/downloads.ts";
import { type KeptInstances, keptInstancesCall } from "../../../shared/api/kept-instances.ts";
import {
  deleteStudyCall,
  downloadTicketCall,
  type KeptStudy,
  keptStudiesCall,
  listSeriesCall,
  listStudiesCall,
  readStudyCall,
  renameStudyCall,
  retryTransferCall,
  type Series,
  type StorageStatus,
  type Study,
  type StudyListQuery,
  type StudyStatus,
  seriesPictureCall,
  studyPictureCall,
  studySchema,
  studyStatusCall,
  studyStatusSchema,
} from "../../../shared/api/studies.ts";
import { callApi, callJson, parseAnswer, readAnswer } from "../../calls/api.ts";

/** A newer server may send another status. It is shown as unknown, and the rest of the study as usual. */
const anyStatus = z.custom<StorageStatus>((status) => typeof status === "string");
export const listedStudySchema = z.extend(studySchema, { storageStatus: anyStatus });
const readAnyStudyCall = { ...readStudyCall, answer: listedStudySchema };
const anyStudyStatusCall = { ...studyStatusCall, answer: z.extend(studyStatusSchema, { status: anyStatus }) };

export interface StudyPage {
  studies: Study[];
  /** Number of studies on all pages. */
  total: number;
  /** Whether the person sees studies of more than one patient, on any page. */
  hasSeveralPatients: boolean;
}

interface PictureQuery {
  studyId: string;
  seriesId?: string | undefined;
  imagesReceived: number;
  /** The preview of the viewer's first image instead of the small picture; of a study only. */
  isLarge?: boolean;
}

/** Calls about studies; each names a study by its `id`, which belongs to one account, never by its UID. */
export const studiesApi = {
  async list(query: StudyListQuery, signal?: AbortSignal): Promise<StudyPage> {
    const response = await callApi(listStudiesCall, { query, signal });
    const studies = await parseAnswer(z.array(listedStudySchema), response);
    const total = response.headers.get("X-Total-Count");
    return {
      studies,
      total: total === null ? studies.length : Number(total),
      hasSeveralPatients: response.headers.get("X-Several-Patients") === "true",
    };
  },
  /** Which files of a study of their own the person keeps. */
  keptInstances: (study: string, signal?: AbortSignal): Promise<KeptInstances> =>
    callJson(keptInstancesCall, { params: { study }, signal }),
  /** Which of these the person keeps in their own account. */
  kept: (studyInstanceUIDs: string[], signal?: AbortSignal): Promise<KeptStudy[]> =>
    callJson(keptStudiesCall, { body: { studyInstanceUIDs }, signal }),
  read: (study: string, signal?: AbortSignal): Promise<Study> =>
    callJson(readAnyStudyCall, { params: { study }, signal }),
  series: (study: string, signal?: AbortSignal): Promise<Series[]> =>
    callJson(listSeriesCall, { params: { study }, signal }),
  /** The small picture of a study or of one of its series; null if there is none yet. */
  async picture(
    { studyId: study, seriesId: series, imagesReceived, isLarge }: PictureQuery,
    signal?: AbortSignal,
  ) {
    const query = { images: String(imagesReceived) };
    const large = isLarge && ({ size: "512" } as const);
    const response = await (series === undefined
      ? callApi(studyPictureCall, { params: { study }, query: { ...query, ...large }, signal })
      : callApi(seriesPictureCall, { params: { study, series }, query, signal }));
    return response.status === 204 ? null : await readAnswer(response.blob());
  },
  status: (study: string, signal?: AbortSignal): Promise<StudyStatus> =>
    callJson(anyStudyStatusCall, { params: { study }, signal }),
  retryTransfer: (study: string) => callApi(retryTransferCall, { params: { study } }),
  rename: (study: string, description: string) =>
    callApi(renameStudyCall, { params: { study }, body: { description } }),
  remove: (study: string) => callApi(deleteStudyCall, { params: { study } }),
  downloadSeveral: (studyIds: string[]): Promise<StudiesDownloadTicket> =>
    callJson(studiesDownloadTicketCall, { body: { studyIds } }),
  downloadTicket: (study: string) => callJson(downloadTicketCall, { params: { study } }),
};
