import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { type ViewerChoice, viewerChoiceAtom } from "../../preferences.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { imageCountOf } from "../studies/study-text.ts";

/** Phones and tablets, on which OHIF leaves little room for the picture. */
const HANDHELD = `${PHONE}, (pointer: coarse)`;

/** The viewer that opens first on this device: the chosen one, else ours in the hand and OHIF on a desktop. */
export function useFirstViewer(): ViewerChoice {
  const isHandheld = useMediaQuery(HANDHELD);
  return useAtomValue(viewerChoiceAtom) ?? (isHandheld ? "visor" : "ohif");
}

/** The same, at the moment of a press. */
export function firstViewerOf(choice: ViewerChoice | undefined): ViewerChoice {
  return choice ?? (matchMedia(HANDHELD).matches ? "visor" : "ohif");
}

/** What a study opens with. */
export interface OpenedSeries {
  seriesInstanceUID: string;
  isOfDocuments: boolean;
}

/** Whether a document opens, which OHIF can't show: our own viewer opens it, whatever was chosen. */
export function opensDocument(
  study: Pick<Study, "imagesReceived" | "documentsReceived">,
  series?: OpenedSeries,
): boolean {
  return series?.isOfDocuments ?? imageCountOf(study) === 0;
}

/** The choice of what opens the images of exams, kept on this device. */
export function ViewerChoiceField() {
  const { t } = useLingui();
  const choice = useFirstViewer();
  const setChoice = useSetAtom(viewerChoiceAtom);
  const options: [ViewerChoice, string][] = [
    ["visor", t({ id: "viewer.choice.visor", message: "Always here" })],
    ["ohif", t({ id: "viewer.choice.ohif", message: "Always in OHIF" })],
  ];
  return (
    <label className="viewer-choice">
      <span>
        <Trans id="viewer.choice">Open images</Trans>
      </span>
      <select value={choice} onChange={(event) => setChoice(choiceOf(event.currentTarget.value))}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function choiceOf(value: string): ViewerChoice {
  return value === "visor" ? "visor" : "ohif";
}
