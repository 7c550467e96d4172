import type { LabUpload } from "../../src/shared/api/labs.ts";
import { writeLabPdf, writeReportPdf } from "./pdf.ts";

const joao = { name: "João Antônio Gonçalves", birthDate: "14/03/1968" };

/** The report of the study with this accession number. */
export const DEMO_REPORT = {
  accessionNumber: "20260001",
  pdf: () =>
    writeReportPdf({
      patient: joao,
      title: "Tomografia computadorizada do crânio",
      paragraphs: [
        "Técnica:",
        "Aquisição volumétrica, sem contraste, com reconstruções nos três planos.",
        "Análise:",
        "Parênquima encefálico com atenuação preservada. Sistema ventricular de forma e dimensões normais. Não há sinais de sangramento nem desvio das estruturas da linha média.",
        "Conclusão:",
        "Exame dentro dos limites da normalidade.",
      ],
      signature: "Dra. Inês Leão",
    }),
};

export interface DemoLab extends LabUpload {
  pdf(): Uint8Array;
}

export const DEMO_LABS: readonly DemoLab[] = [
  {
    examName: "Hemograma completo",
    modality: "LAB",
    examDate: "2026-10-12",
    pdf: () =>
      writeLabPdf({
        title: "Hemograma completo",
        patient: joao,
        panels: [
          {
            name: "Eritrograma",
            results: [
              { analyte: "Hemoglobina", value: "14,2", unit: "g/dL", reference: "13,0 a 17,0" },
              { analyte: "Hematócrito", value: "42,1", unit: "%", reference: "40,0 a 50,0" },
              { analyte: "Hemácias", value: "4,8", unit: "milhões/mm³", reference: "4,3 a 5,7" },
            ],
          },
          {
            name: "Leucograma",
            results: [{ analyte: "Leucócitos", value: "6.400", unit: "/mm³", reference: "4.000 a 11.000" }],
          },
        ],
      }),
  },
  {
    examName: "Perfil lipídico",
    modality: "LAB",
    examDate: "2026-07-30",
    pdf: () =>
      writeLabPdf({
        title: "Perfil lipídico",
        patient: joao,
        panels: [
          {
            name: "Lipídios",
            results: [
              { analyte: "Colesterol total", value: "182", unit: "mg/dL", reference: "até 190" },
              { analyte: "HDL", value: "51", unit: "mg/dL", reference: "acima de 40" },
              { analyte: "Triglicerídeos", value: "128", unit: "mg/dL", reference: "até 150" },
            ],
          },
        ],
      }),
  },
];
