import { deleteReportCall, readReportCall, uploadReportCall } from "../../../shared/api/studies.ts";
import { callApi } from "../../calls/api.ts";
import { callFile } from "../../calls/file-calls.ts";
import { sendOnce } from "../../calls/send-once.ts";
import { type SendOptions, sendForm } from "../pdf/send-form.ts";

/** Calls about the PDF report of a study, which is named by its `id`. */
export const reportsApi = {
  async read(study: string, signal?: AbortSignal): Promise<Blob> {
    return await callFile(readReportCall, { params: { study }, signal });
  },
  remove: (study: string) => callApi(deleteReportCall, { params: { study } }),
  upload: (studyId: string, file: File, options: SendOptions): Promise<void> =>
    sendOnce([uploadReportCall.path, studyId, file], (idempotencyKey) =>
      sendForm(
        uploadReportCall,
        { fields: { studyInstanceUID: studyId }, file },
        { ...options, idempotencyKey },
      ),
    ),
};
