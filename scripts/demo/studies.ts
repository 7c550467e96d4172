import type { DEMO_ACCOUNTS } from "./accounts.ts";
import { DEMO_PATIENTS } from "./phantom/patients.ts";
import type { GenerateStudyOptions } from "./phantom/study.ts";

export interface DemoStudy {
  owner: keyof typeof DEMO_ACCOUNTS;
  /** A later start finds the study by its accession number. */
  generate: GenerateStudyOptions & { accessionNumber: string };
  sharedWith?: keyof typeof DEMO_ACCOUNTS;
  /** Uploaded as hospitals write discs: deflated, with a DICOMDIR and unrelated files. */
  asDisc?: boolean;
}

/** Small sizes, so that all studies are computed and uploaded within about ten seconds. */
export const DEMO_STUDIES: readonly DemoStudy[] = [
  {
    owner: "user",
    generate: {
      kind: "ct-head",
      seed: "demo",
      accessionNumber: "20260001",
      patient: DEMO_PATIENTS.joao,
      studyDate: "20260817",
      size: 256,
      instances: 24,
    },
    sharedWith: "doctor",
    asDisc: true,
  },
  {
    owner: "user",
    generate: {
      kind: "ct-chest",
      seed: "demo",
      accessionNumber: "20260002",
      patient: DEMO_PATIENTS.conceicao,
      studyDate: "20260903",
      studyTime: "141500",
      size: 256,
      instances: 28,
    },
  },
  {
    owner: "user",
    generate: {
      kind: "mr-head",
      seed: "demo",
      accessionNumber: "20260003",
      patient: DEMO_PATIENTS.taro,
      studyDate: "20251120",
      studyTime: "093000",
      instances: 18,
    },
  },
  {
    owner: "user",
    generate: {
      kind: "us-heart",
      seed: "demo",
      accessionNumber: "20260004",
      patient: DEMO_PATIENTS.benicio,
      studyDate: "20260225",
      studyTime: "160000",
      size: 360,
      frames: 20,
    },
  },
  {
    owner: "user",
    generate: {
      kind: "mammogram",
      seed: "demo",
      accessionNumber: "20260005",
      patient: DEMO_PATIENTS.ines,
      studyDate: "20240612",
      studyTime: "101000",
      size: 600,
    },
  },
  {
    owner: "trial",
    generate: {
      kind: "cr-chest",
      seed: "demo",
      accessionNumber: "20260006",
      patient: DEMO_PATIENTS.benicio,
      studyDate: "20261030",
      studyTime: "074500",
      size: 800,
    },
  },
];
