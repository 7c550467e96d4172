import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { StudyColumn } from "./column-layout.ts";

export const columnNames: Record<StudyColumn, MessageDescriptor> = {
  patientName: msg({ id: "exam.patient", message: "Patient" }),
  studyDate: msg({ id: "exam.date", message: "Date" }),
  studyDescription: msg({ id: "exam.description", message: "Description" }),
  modality: msg({ id: "exam.modality", message: "Modality" }),
  imagesReceived: msg({ id: "exam.images", message: "Images" }),
  seriesCount: msg({ id: "exam.series", message: "Series" }),
  storageStatus: msg({ id: "exam.storage", message: "Storage" }),
  laudo: msg({ id: "exam.report", message: "Report" }),
  viewer: msg({ id: "exam.viewer", message: "Viewer" }),
  actions: msg({ id: "exam.actions", message: "Actions" }),
};
