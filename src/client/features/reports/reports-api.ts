import { callApi } from "../../api.ts";
import { type SendOptions, sendForm } from "../pdf/send-form.ts";

const path = (studyId: string) => `/api/studies/laudo/${studyId}`;

/** Calls about the PDF report of a study, which is named by its `id`. */
export const reportsApi = {
  async read(studyId: string, signal?: AbortSignal): Promise<Blob> {
    const response = await callApi(path(studyId), { signal });
    return response.blob();
  },
  remove: (studyId: string) => callApi(path(studyId), { method: "DELETE" }),
  upload(studyId: string, file: File, options: SendOptions): Promise<void> {
    const form = new FormData();
    form.set("studyInstanceUID", studyId);
    form.set("laudo", file);
    return sendForm("/api/studies/laudo/upload", form, options);
  },
};
