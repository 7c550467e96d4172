import type { CharacterSet } from "./character-set.ts";

export interface DemoPatient {
  /** As in DICOM: family^given, and for other scripts `=`-separated groups (PS3.5 §6.2, PN). */
  patientName: string;
  patientID: string;
  /** `YYYYMMDD` */
  patientBirthDate: string;
  patientSex: "F" | "M" | "O";
  characterSet: CharacterSet;
}

/** Invented people; the names try out accents, particles, hyphens and another script. */
export const DEMO_PATIENTS = {
  joao: {
    patientName: "Gonçalves^João Antônio",
    patientID: "PAC-0001",
    patientBirthDate: "19680314",
    patientSex: "M",
    characterSet: "ISO_IR 100",
  },
  conceicao: {
    patientName: "Assunção^Maria da Conceição",
    patientID: "PAC-0002",
    patientBirthDate: "19551208",
    patientSex: "F",
    characterSet: "ISO_IR 192",
  },
  taro: {
    patientName: "Yamada^Taro=山田^太郎=やまだ^たろう",
    patientID: "PAC-0003",
    patientBirthDate: "19790902",
    patientSex: "M",
    characterSet: "ISO 2022 IR 87",
  },
  ines: {
    patientName: "Sant'Ana-Leão^Inês^^Dra.",
    patientID: "PAC-0004",
    patientBirthDate: "19870621",
    patientSex: "F",
    characterSet: "ISO_IR 192",
  },
  benicio: {
    patientName: "Araújo^Benício",
    patientID: "PAC-0005",
    patientBirthDate: "20140130",
    patientSex: "M",
    characterSet: "ISO_IR 100",
  },
} as const satisfies Record<string, DemoPatient>;

/** Age in whole years on a day, as DICOM writes it (`058Y`). */
export function ageAt(patientBirthDate: string, date: string): string {
  const years = Number(date.slice(0, 4)) - Number(patientBirthDate.slice(0, 4));
  const hadBirthday = date.slice(4) >= patientBirthDate.slice(4);
  return `${String(Math.max(0, years - (hadBirthday ? 0 : 1))).padStart(3, "0")}Y`;
}
