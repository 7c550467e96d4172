import { writeLabPdf, writeReportPdf } from "../../../scripts/demo/pdf.ts";
import { DEMO_PATIENTS } from "../../../scripts/demo/phantom/patients.ts";
import { type GenerateStudyOptions, generateStudy } from "../../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../../scripts/demo/zip-study.ts";
import type { Person, TestApp } from "../app/test-app.ts";
import { formBody } from "../pdf/sample-pdf.ts";

export interface DemoPeople {
  /** Has a study of each kind, a report, lab exams, and has shared a study with the doctor. */
  owner: Person;
  doctor: Person;
  /** Has no study yet. */
  newcomer: Person;
  /** At the limit of the trial. */
  trial: Person;
  /** Without a subscription. */
  lapsed: Person;
  /** With one that ends the day after tomorrow. */
  expiring: Person;
  /** With one that ends in five days. */
  reminded: Person;
  /** With one that ended yesterday. */
  ended: Person;
  /** Has not accepted the terms. */
  stranger: Person;
  admin: Person;
}

const STUDIES: GenerateStudyOptions[] = [
  { kind: "mammogram", seed: 6, size: 256, studyDate: "20251217", patient: DEMO_PATIENTS.conceicao },
  { kind: "cr-chest", seed: 5, size: 256, studyDate: "20260530", patient: DEMO_PATIENTS.joao },
  { kind: "us-heart", seed: 4, size: 160, frames: 6, studyDate: "20260808", patient: DEMO_PATIENTS.ines },
  {
    kind: "mr-head",
    seed: 3,
    size: 64,
    instances: 24,
    studyDate: "20260922",
    patient: DEMO_PATIENTS.benicio,
  },
  {
    ...{ kind: "ct-chest", seed: 2, size: 48, instances: 148, studyDate: "20261103" },
    ...{ patient: DEMO_PATIENTS.conceicao, institutionName: "Hospital Santa Luzia" },
  },
  { kind: "ct-head", seed: 1, size: 256, instances: 28, studyDate: "20261114", patient: DEMO_PATIENTS.joao },
];

const DAY_MS = 24 * 60 * 60 * 1000;
const PATIENT = { name: "João Batista Nogueira", birthDate: "22/03/1968" };

const REPORT = writeReportPdf({
  patient: PATIENT,
  title: "Tomografia computadorizada do crânio",
  paragraphs: [
    "Técnica:",
    "Aquisição volumétrica, sem injeção do meio de contraste, com reconstruções nos três planos.",
    "Análise:",
    "Parênquima encefálico com coeficientes de atenuação preservados. Sistema ventricular de forma e dimensões normais. Não há sinais de sangramento nem desvio das estruturas da linha média.",
    "Conclusão:",
    "Exame dentro dos limites da normalidade.",
  ],
  signature: "Dra. Lívia Monteiro Sá",
});

const LAB = writeLabPdf({
  title: "Hemograma completo",
  patient: PATIENT,
  panels: [
    {
      name: "Eritrograma",
      results: [
        { analyte: "Hemoglobina", value: "14,2", unit: "g/dL", reference: "13,0 a 17,0" },
        { analyte: "Hematócrito", value: "42,1", unit: "%", reference: "40,0 a 50,0" },
      ],
    },
  ],
});

const LABS = [
  { examName: "Densitometria óssea da coluna lombar e do fêmur", modality: "DEN", examDate: "" },
  { examName: "Perfil lipídico", modality: "LAB", examDate: "2026-07-30" },
  { examName: "Hemograma completo", modality: "LAB", examDate: "2026-10-12" },
];

/** People for pictures of the screens, and a ZIP for them to pick. */
export async function addDemoPeople(testApp: TestApp): Promise<{ people: DemoPeople; zip: Buffer }> {
  const people = {
    owner: await testApp.addPerson("Helena Duarte", { plan: "essencial" }),
    doctor: await testApp.addPerson("Lívia Monteiro Sá", { role: "doctor", plan: "cortesia" }),
    newcomer: await testApp.addPerson("Taro Yamada", { plan: "avaliacao" }),
    trial: await testApp.addPerson("Benício Moura", { plan: "avaliacao" }),
    lapsed: await testApp.addPerson("Otávio Brandão", { plan: null }),
    expiring: await testApp.addPerson("Rosângela Prado", { plan: "essencial" }),
    reminded: await testApp.addPerson("Davi Antunes", { plan: "essencial" }),
    ended: await testApp.addPerson("Noêmia Brito", { plan: "essencial" }),
    stranger: await testApp.addPerson("Iracema dos Santos", { plan: "avaliacao" }),
    admin: await testApp.addPerson("Beatriz Administradora", { role: "admin" }),
  };
  for (const person of Object.values(people)) {
    if (person !== people.stranger) await testApp.call("POST", "/api/users/accept-terms", { as: person });
  }
  for (const [{ id }, days] of [
    [people.expiring, 2],
    [people.reminded, 5],
    [people.ended, -1],
  ] as const) {
    const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
    await expectOk(
      await testApp.call("PATCH", `/api/users/${id}`, { as: people.admin, json: { expiresAt } }),
    );
  }
  await fillTrial(testApp, people.trial);
  let zip: Uint8Array = new Uint8Array();
  let newest = "";
  for (const study of STUDIES) {
    zip = await zipStudyBytes({ instances: generateStudy(study), folder: "DICOM" });
    newest = (await testApp.store(people.owner, zip)).studies[0]?.id ?? "";
  }
  await expectOk(
    await testApp.call("POST", `/api/studies/${newest}/assign`, {
      as: people.owner,
      json: { userId: people.doctor.id },
    }),
  );
  const report = await formBody({ studyInstanceUID: newest }, { name: "laudo", bytes: REPORT });
  await expectOk(await testApp.call("POST", "/api/studies/laudo/upload", { as: people.owner, ...report }));
  for (const fields of LABS) {
    const lab = await formBody(fields, { name: "file", bytes: LAB });
    await expectOk(await testApp.call("POST", "/api/exams-lab/upload", { as: people.owner, ...lab }));
  }
  return { people, zip: Buffer.from(zip) };
}

async function fillTrial(testApp: TestApp, person: Person): Promise<void> {
  for (const seed of [11, 12]) {
    const instances = generateStudy({ kind: "cr-chest", seed, size: 64 });
    await testApp.store(person, await zipStudyBytes({ instances, folder: "DICOM" }));
  }
}

async function expectOk(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}
