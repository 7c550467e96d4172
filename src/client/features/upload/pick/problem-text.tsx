import { Trans, useLingui } from "@lingui/react/macro";
import { ReloadButton } from "../../../ui/reload-button.tsx";
import { limitText } from "../../../ui/text/limit-text.ts";
import { MAX_PICKED_FILES } from "../../pick/picked-files.ts";
import { MAX_SOURCES } from "../draft/draft-state.ts";
import type { UploadProblem } from "../upload-problem.ts";
import { problemTexts } from "../upload-texts.ts";

interface ProblemTextProps {
  problem: UploadProblem;
  /** Of what can't be sent; empty if that is clear. */
  name: string;
  maxUploadBytes: number;
}

/** Why something can't be sent, and what it is. */
export function ProblemText({ problem, name, maxUploadBytes }: ProblemTextProps) {
  const { i18n } = useLingui();
  const values = {
    limit: limitText(i18n, maxUploadBytes),
    files: i18n.number(MAX_PICKED_FILES),
    sources: MAX_SOURCES,
  };
  const text = i18n._({ ...problemTexts[problem], values });
  return (
    <>
      <span>{name === "" ? text : `${name}: ${text}`}</span>
      {problem === "outdated" && <ReloadButton />}
    </>
  );
}

/** Why an exam can't be sent of which one image alone is larger than an upload. */
export function ImageTooLargeText({ maxUploadBytes }: Pick<ProblemTextProps, "maxUploadBytes">) {
  const { i18n } = useLingui();
  const limit = limitText(i18n, maxUploadBytes);
  return (
    <Trans id="contents.imageTooLarge">
      One image is larger than an upload may be ({limit}). The other exams can go.
    </Trans>
  );
}
