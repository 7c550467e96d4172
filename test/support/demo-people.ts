import { DEMO_PATIENTS } from "../../scripts/demo/phantom/patients.ts";
import { type GenerateStudyOptions, generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { Person, TestApp } from "./test-app.ts";

export interface DemoPeople {
  /** Has a study of each kind. */
  owner: Person;
  /** Has none. */
  newcomer: Person;
  admin: Person;
}

const STUDIES: GenerateStudyOptions[] = [
  { kind: "ct-head", seed: 1, size: 256, instances: 28, studyDate: "20261114", patient: DEMO_PATIENTS.joao },
  {
    ...{ kind: "ct-chest", seed: 2, size: 48, instances: 148, studyDate: "20261103" },
    ...{ patient: DEMO_PATIENTS.conceicao, institutionName: "Hospital Santa Luzia" },
  },
  {
    kind: "mr-head",
    seed: 3,
    size: 64,
    instances: 24,
    studyDate: "20260922",
    patient: DEMO_PATIENTS.benicio,
  },
  { kind: "us-heart", seed: 4, size: 160, frames: 6, studyDate: "20260808", patient: DEMO_PATIENTS.ines },
  { kind: "cr-chest", seed: 5, size: 256, studyDate: "20260530", patient: DEMO_PATIENTS.joao },
  { kind: "mammogram", seed: 6, size: 256, studyDate: "20251217", patient: DEMO_PATIENTS.conceicao },
];

/** People for pictures of the screens, and a ZIP for them to pick. */
export async function addDemoPeople(testApp: TestApp): Promise<{ people: DemoPeople; zip: Buffer }> {
  const people = {
    owner: await testApp.addPerson("Helena Duarte", { plan: "essencial" }),
    newcomer: await testApp.addPerson("Taro Yamada", { plan: "avaliacao" }),
    admin: await testApp.addPerson("Beatriz Administradora", { role: "admin" }),
  };
  for (const person of Object.values(people)) {
    await testApp.call("POST", "/api/users/accept-terms", { as: person });
  }
  let zip: Uint8Array = new Uint8Array();
  for (const study of STUDIES) {
    zip = await zipStudyBytes({ instances: generateStudy(study), folder: "DICOM" });
    await testApp.store(people.owner, zip);
  }
  return { people, zip: Buffer.from(zip) };
}
