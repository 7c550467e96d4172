import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { IconButton } from "../../ui/button.tsx";
import { ShareIcon } from "../../ui/icons.tsx";
import { sharedStudyAtom } from "./share-state.ts";

/** Opens the share dialog from a row; only for whose the study is to share. */
export function ShareButton({ study }: { study: Study }) {
  const { t } = useLingui();
  const share = useSetAtom(sharedStudyAtom);
  if (!study.access.share) return null;
  return (
    <IconButton label={t({ id: "share.open", message: "Share exam" })} onClick={() => share(study)}>
      <ShareIcon />
    </IconButton>
  );
}
