import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom, useAtomValue } from "jotai";
import { type ViewerChoice, viewerChoiceAtom } from "../../preferences.ts";

/** The viewer that opens first on this device: OHIF, unless the person prefers ours. */
export function useFirstViewer(): ViewerChoice {
  return useAtomValue(viewerChoiceAtom);
}

/** The choice of what opens the images of exams, kept on this device. */
export function ViewerChoiceField() {
  const { t } = useLingui();
  const [choice, setChoice] = useAtom(viewerChoiceAtom);
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
