import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { IconButton } from "../../ui/button.tsx";
import { ShareIcon } from "../../ui/icons.tsx";
import { descriptionText } from "../studies/study-text.ts";
import { sharedStudyAtom } from "./share-state.ts";

/** Opens the share dialog from a row; only for whose the study is to share. */
export function ShareButton({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const share = useSetAtom(sharedStudyAtom);
  if (!study.access.share) return null;
  const name = descriptionText(i18n, study);
  return (
    <IconButton
      label={t({ id: "share.openOf", message: `Share exam: ${name}` })}
      onClick={() => share(study)}
    >
      <ShareIcon />
    </IconButton>
  );
}
