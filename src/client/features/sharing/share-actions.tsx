import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { IconButton } from "../../ui/button.tsx";
import { DropdownItem } from "../../ui/dropdown.tsx";
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

/** The same as an entry of a row's menu. */
export function ShareMenuItem({ study }: { study: Study }) {
  const share = useSetAtom(sharedStudyAtom);
  if (!study.access.share) return null;
  return (
    <DropdownItem onSelect={() => share(study)}>
      <ShareIcon />
      <Trans id="share.open">Share exam</Trans>
    </DropdownItem>
  );
}
