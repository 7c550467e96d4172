export type ViewerLanguage = "pt-BR" | "en-US";

/** The viewer page's own texts; all others are OHIF's (see `locales/`). */
export interface ViewerTexts {
  accessEnded: string;
  accessEndedHint: string;
  imageNotShown: string;
  imageLost: string;
  imageDamaged: string;
  /** Translations of texts that OHIF has in its code instead of its catalogues, keyed by the English text. Others stay English. */
  hardCoded: Readonly<Record<string, string>>;
}

export const TEXTS: Record<ViewerLanguage, ViewerTexts> = {
  "pt-BR": {
    accessEnded: "O acesso a este exame terminou",
    accessEndedHint: "Feche o visualizador e abra o exame de novo pela lista.",
    imageNotShown: "Esta imagem não pode ser exibida aqui. Ela está guardada intacta, como foi enviada.",
    imageLost: "Esta imagem não chegou. Verifique sua conexão e abra o exame de novo.",
    imageDamaged:
      "O arquivo guardado desta imagem foi danificado e não é mostrado. Enviar o exame de novo o repara.",
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
      "Sort direction": "Direção da ordenação",
      "Loaded ": "Carregado: ",
      " of ": " de ",
      "Loading...": "Carregando…",
      "Drag and Drop": "Arrastar e soltar",
      "Viewport Not Supported Yet": "Este tipo de série não pode ser exibido aqui",
      "The selected display sets could not be added to the viewport due to a mismatch in the Hanging Protocol rules.":
        "As séries escolhidas não cabem nesta disposição de imagens.",
      "The requested display sets could not be added to the viewport due to a mismatch in the Hanging Protocol rules.":
        "As séries pedidas não cabem nesta disposição de imagens.",
      "The hanging protocol has no more applicable stages":
        "Não há outras etapas nesta disposição de imagens.",
      "The hanging protocol could not be applied.": "Não foi possível aplicar esta disposição de imagens.",
      "Change Stage": "Mudar de etapa",
      "Apply Hanging Protocol": "Aplicar disposição",
      "Navigate Viewport Display Set": "Trocar de série",
      "Error Loading Image": "Não foi possível carregar a imagem",
      "An error has occurred.": "Ocorreu um erro.",
      Measurements: "Medidas",
      "Series Measurements": "Medidas da série",
      "No Measurements": "Nenhuma medida",
      "Axial Primary": "Axial em destaque",
      "Frame View": "Visão de quadros",
      Annotation: "Anotação",
      "Actual Physical distance (mm)": "Distância real (mm)",
      Yes: "Sim",
      No: "Não",
      "Min/Max": "Mín./Máx.",
      Threshold: "Limiar",
      Opacity: "Opacidade",
      "No window level data available": "Não há dados de janelamento",
      Sagittal: "Sagital",
      Acquisition: "Aquisição",
      Reformat: "Reformatar",
      Remove: "Remover",
      Cancel: "Cancelar",
      Save: "Salvar",
      "Control threshold & opacity": "Ajustar limiar e opacidade",
      Reset: "Redefinir",
      Actions: "Ações",
      "Error Stack": "Detalhes técnicos",
      Copy: "Copiar",
      Notifications: "Notificações",
      "Image navigation scrollbar": "Barra para percorrer as imagens",
      "File type": "Tipo de arquivo",
      "Do you want to open this Segmentation?": "Abrir esta segmentação?",
      "Do you want to continue tracking measurements for this study?":
        "Continuar com as medidas deste exame?",
    },
  },
  "en-US": {
    accessEnded: "Access to this exam has ended",
    accessEndedHint: "Close the viewer and open the exam again from the list.",
    imageNotShown: "This image can't be shown here. It is kept unharmed, as it was sent.",
    imageLost: "This image did not arrive. Check your connection and open the exam again.",
    imageDamaged:
      "The stored file of this image was damaged, so it is not shown. Sending the exam again repairs it.",
    hardCoded: {
      "One or more of the requested studies are not available at this time.": "This exam is not available.",
    },
  },
};

/** A language is Portuguese if its code contains `pt`; without a language, Portuguese is the default. */
export function viewerLanguage(code: string | null): ViewerLanguage {
  return code === null || code === "" || code.toLowerCase().includes("pt") ? "pt-BR" : "en-US";
}
