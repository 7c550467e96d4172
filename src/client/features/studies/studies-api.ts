import * as z from "zod/mini";
import {
  downloadTicketSchema,
  type Series,
  type StorageStatus,
  type Study,
  type StudyListQuery,
  type StudyStatus,
  seriesSchema,
  studySchema,
  studyStatusSchema,
} from "../../../shared/api/studies.ts";
import { callApi, callJson } from "../../api.ts";

/** A server that is newer may know another status: it is shown as unknown, and everything else as ever. */
const anyStatus = z.custom<StorageStatus>((status) => typeof status === "string");
const listedStudySchema = z.extend(studySchema, { storageStatus: anyStatus });
const readStatusSchema = z.extend(studyStatusSchema, { status: anyStatus });

export interface StudyPage {
  studies: Study[];
  /** Of all pages. */
  total: number;
}

interface PictureQuery {
  studyId: string;
  seriesId?: string | undefined;
  imagesReceived: number;
}

/** Calls about studies; each names a study by its `id`, which is one account's, never by its UID. */
export const studiesApi = {
  async list(query: StudyListQuery, signal?: AbortSignal): Promise<StudyPage> {
    const search = new URLSearchParams(
      Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    );
    const response = await callApi(`/api/studies?${search}`, { signal });
    const studies = z.array(listedStudySchema).parse(await response.json());
    const total = response.headers.get("X-Total-Count");
    return { studies, total: total === null ? studies.length : Number(total) };
  },
  read: (id: string, signal?: AbortSignal): Promise<Study> =>
    callJson(listedStudySchema, `/api/studies/${id}`, { signal }),
  series: (id: string, signal?: AbortSignal): Promise<Series[]> =>
    callJson(z.array(seriesSchema), `/api/studies/${id}/series`, { signal }),
  /** The small picture of a study, or of one of its series; null where there is none (yet). */
  async picture({ studyId, seriesId, imagesReceived }: PictureQuery, signal?: AbortSignal) {
    const series = seriesId === undefined ? "" : `/series/${seriesId}`;
    // The number only tells the browser's cache that it is another picture.
    const path = `/api/studies/${studyId}${series}/thumbnail?images=${imagesReceived}`;
    const response = await callApi(path, { signal });
    return response.status === 204 ? null : await response.blob();
  },
  status: (id: string, signal?: AbortSignal): Promise<StudyStatus> =>
    callJson(readStatusSchema, `/api/studies/${id}/status`, { signal }),
  remove: (id: string) => callApi(`/api/studies/${id}`, { method: "DELETE" }),
  downloadTicket: (id: string) =>
    callJson(downloadTicketSchema, `/api/studies/${id}/download-ticket`, { method: "POST" }),
};
