import {
  deleteLabExamCall,
  downloadLabExamCall,
  type LabExam,
  type LabStats,
  type LabUpload,
  labStatsCall,
  listLabExamsCall,
  uploadLabExamCall,
  viewLabExamCall,
} from "../../../shared/api/labs.ts";
import { callApi, callJson, nullIfMissing } from "../../calls/api.ts";
import { callFile } from "../../calls/file-calls.ts";
import { sendOnce } from "../../calls/send-once.ts";
import { type SendOptions, sendForm } from "../pdf/send-form.ts";

/** Calls about laboratory PDFs. */
export const labsApi = {
  list: (signal?: AbortSignal): Promise<LabExam[]> => callJson(listLabExamsCall, { signal }),
  /** Null if the person has no plan. */
  stats: (signal?: AbortSignal): Promise<LabStats | null> =>
    nullIfMissing(callJson(labStatsCall, { signal })),
  async view(id: string, signal?: AbortSignal): Promise<Blob> {
    return await callFile(viewLabExamCall, { params: { id }, signal });
  },
  /** Counts as an action of the month. */
  async download(id: string): Promise<Blob> {
    return await callFile(downloadLabExamCall, { params: { id } });
  },
  remove: (id: string) => callApi(deleteLabExamCall, { params: { id } }),
  upload({ examName, modality, examDate }: LabUpload, file: File, options: SendOptions): Promise<void> {
    const fields = { examName, modality, ...(examDate && { examDate }) };
    return sendOnce([uploadLabExamCall.path, examName, modality, examDate, file], (idempotencyKey) =>
      sendForm(uploadLabExamCall, { fields, file }, { ...options, idempotencyKey }),
    );
  },
};
