export type ViewerLanguage = "pt-BR" | "en-US";

/** What the viewer page says itself; everything else is OHIF's (see `locales/`). */
export interface ViewerTexts {
  accessEnded: string;
  accessEndedHint: string;
  /** Texts that OHIF has in its code instead of its catalogues, by the English; those not here stay as they are. */
  hardCoded: Readonly<Record<string, string>>;
}

export const TEXTS: Record<ViewerLanguage, ViewerTexts> = {
  "pt-BR": {
    accessEnded: "O acesso a este exame terminou",
    accessEndedHint: "Feche o visualizador e abra o exame de novo pela lista.",
    hardCoded: {
      "One or more of the requested studies are not available at this time.":
        "Este exame não está disponível.",
      "Delete measurement": "Excluir medida",
      "Add Label": "Adicionar rótulo",
      "Soft tissue": "Partes moles",
      Lung: "Pulmão",
      Liver: "Fígado",
      Bone: "Osso",
      Brain: "Cérebro",
      Default: "Padrão",
      Calibration: "Calibração",
      "DICOM Tag Browser": "Atributos DICOM",
      "Additional Findings": "Outros achados",
      "Error loading displaySet": "Não foi possível carregar a série",
      "Series description": "Descrição da série",
      "Study date": "Data do exame",
      "Window Level": "Janelamento",
      "Instance Number": "Número da imagem",
      "Search metadata": "Buscar atributos",
      "Not For Diagnostic Use": "Não destinado a diagnóstico",
      Series: "Série",
      Keyword: "Atributo",
      Value: "Valor",
      Close: "Fechar",
    },
  },
  "en-US": {
    accessEnded: "Access to this exam has ended",
    accessEndedHint: "Close the viewer and open the exam again from the list.",
    hardCoded: {
      "One or more of the requested studies are not available at this time.": "This exam is not available.",
    },
  },
};

/** SPEC: a language is Portuguese where its code contains `pt`; without one, Portuguese is the default. */
export function viewerLanguage(code: string | null): ViewerLanguage {
  return code === null || code === "" || code.toLowerCase().includes("pt") ? "pt-BR" : "en-US";
}
