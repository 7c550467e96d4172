import type { Study } from "../../../src/shared/api/studies.ts";

/** A study as the server lists it. */
export const skull: Study = {
  id: "s1",
  studyInstanceUID: "2.25.1",
  patientName: "Duarte^Helena",
  patientID: "00482913",
  patientBirthDate: null,
  patientGender: "female",
  studyDescription: "Tomografia de crânio",
  studyDate: "2026-11-14",
  examinedAt: null,
  accessionNumber: "SC-1",
  institutionName: "Hospital Santa Clara",
  modality: "CT",
  imagesReceived: 1284,
  seriesCount: 1,
  sizeBytes: 1000,
  storageStatus: "b2",
  integrity: "unchecked",
  verifiedAt: null,
  laudo: false,
  isOverridden: false,
  access: { download: true, delete: true, share: true, attachReport: true, deleteReport: false },
  ownerName: null,
  receivedFrom: null,
  createdAt: "2026-11-14T12:00:00.000Z",
};
