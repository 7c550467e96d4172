import type { LabPdf, PdfPatient, ReportPdf } from "./pdf.ts";

/** A radiologist's report on the phantom's head CT. */
export function headCtReport(patient: PdfPatient): ReportPdf {
  return {
    title: "Tomografia computadorizada do crânio",
    patient,
    signature: "Dra. Inês Leão — CRM 00000-SP — Radiologia e Diagnóstico por Imagem",
    paragraphs: [
      "Técnica:",
      "Aquisição helicoidal sem administração de meio de contraste endovenoso, com reconstruções em janelas de encéfalo e de osso.",
      "Indicação clínica:",
      "Cefaleia há três semanas, sem déficit focal.",
      "Análise:",
      "Parênquima encefálico com coeficientes de atenuação preservados. Não há sinais de coleção hemorrágica, lesão expansiva ou isquemia recente.",
      "Sistema ventricular de dimensões e morfologia normais para a faixa etária. Calcificações fisiológicas da glândula pineal e dos plexos coroides.",
      "Sulcos corticais e cisternas da base livres. Estruturas da linha média centradas.",
      "Seios paranasais e células das mastoides com pneumatização habitual. Órbitas sem alterações. Calota craniana íntegra.",
      "Impressão:",
      "Tomografia do crânio sem alterações significativas.",
      "Documento de demonstração: paciente, exame e imagens são fictícios.",
    ],
  };
}

/** A blood count and a metabolic panel. */
export function bloodPanel(patient: PdfPatient): LabPdf {
  return {
    title: "Resultado de exames laboratoriais",
    patient,
    panels: [
      {
        name: "Hemograma completo",
        results: [
          { analyte: "Hemácias", value: "4,72", unit: "milhões/µL", reference: "4,50 a 5,90" },
          { analyte: "Hemoglobina", value: "14,1", unit: "g/dL", reference: "13,5 a 17,5" },
          { analyte: "Hematócrito", value: "42,3", unit: "%", reference: "41,0 a 53,0" },
          { analyte: "Leucócitos", value: "6.840", unit: "/µL", reference: "4.000 a 11.000" },
          { analyte: "Plaquetas", value: "238.000", unit: "/µL", reference: "150.000 a 450.000" },
        ],
      },
      {
        name: "Bioquímica",
        results: [
          { analyte: "Glicose em jejum", value: "92", unit: "mg/dL", reference: "70 a 99" },
          { analyte: "Creatinina", value: "0,94", unit: "mg/dL", reference: "0,70 a 1,30" },
          { analyte: "Colesterol total", value: "187", unit: "mg/dL", reference: "inferior a 190" },
          { analyte: "Triglicerídeos", value: "131", unit: "mg/dL", reference: "inferior a 150" },
          { analyte: "TSH", value: "2,10", unit: "µUI/mL", reference: "0,40 a 4,50" },
        ],
      },
    ],
  };
}
