export type ViewerLanguage = "pt-BR" | "en-US";

/** What the viewer page says itself; everything else is OHIF's (see `locales/`). */
export interface ViewerTexts {
  accessEnded: string;
  accessEndedHint: string;
  studyNotFound: string;
}

export const TEXTS: Record<ViewerLanguage, ViewerTexts> = {
  "pt-BR": {
    accessEnded: "O acesso a este exame terminou",
    accessEndedHint: "Feche o visualizador e abra o exame de novo pela lista.",
    studyNotFound: "Este exame não está disponível.",
  },
  "en-US": {
    accessEnded: "Access to this exam has ended",
    accessEndedHint: "Close the viewer and open the exam again from the list.",
    studyNotFound: "This exam is not available.",
  },
};

/** SPEC: a language is Portuguese where its code contains `pt`; without one, Portuguese is the default. */
export function viewerLanguage(code: string | null): ViewerLanguage {
  return code === null || code === "" || code.toLowerCase().includes("pt") ? "pt-BR" : "en-US";
}
