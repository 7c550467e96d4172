import * as z from "zod/mini";
import {
  type LabExam,
  type LabStats,
  type LabUpload,
  labExamSchema,
  labStatsSchema,
} from "../../../shared/api/labs.ts";
import { ApiError, callApi, callJson } from "../../api.ts";
import { type SendOptions, sendForm } from "../pdf/send-form.ts";

async function pdf(path: string, signal?: AbortSignal): Promise<Blob> {
  const response = await callApi(path, { signal });
  return response.blob();
}

/** Calls about laboratory PDFs. */
export const labsApi = {
  list: (signal?: AbortSignal): Promise<LabExam[]> =>
    callJson(z.array(labExamSchema), "/api/exams-lab", { signal }),
  /** Null where the person has no plan. */
  async stats(signal?: AbortSignal): Promise<LabStats | null> {
    try {
      return await callJson(labStatsSchema, "/api/exams-lab/stats", { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
  view: (id: string, signal?: AbortSignal) => pdf(`/api/exams-lab/${id}/view`, signal),
  /** Counts as an action of the month. */
  download: (id: string) => pdf(`/api/exams-lab/${id}/download`),
  remove: (id: string) => callApi(`/api/exams-lab/${id}`, { method: "DELETE" }),
  upload(fields: LabUpload, file: File, options: SendOptions): Promise<void> {
    const form = new FormData();
    form.set("examName", fields.examName);
    form.set("modality", fields.modality);
    if (fields.examDate) form.set("examDate", fields.examDate);
    form.set("file", file);
    return sendForm("/api/exams-lab/upload", form, options);
  },
};
