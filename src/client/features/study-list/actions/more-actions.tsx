import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Dropdown, DropdownItem } from "../../../ui/dropdown.tsx";
import { DownloadIcon, EllipsisIcon, TrashIcon } from "../../../ui/icons.tsx";
import { busyStudiesAtom } from "../../studies/busy-studies.ts";
import { descriptionText } from "../../studies/study-text.ts";
import { useDownload } from "../../studies/use-download.ts";
import { deletionAskedAtom } from "./list-actions.ts";

/** The person's actions on the study besides viewing and sharing it, in a menu. */
export function MoreActions({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const download = useDownload();
  const askDeletion = useSetAtom(deletionAskedAtom);
  const isBusy = useAtomValue(busyStudiesAtom).has(study.id);
  const { access } = study;
  if (!access.download && !access.delete) return null;
  const name = descriptionText(i18n, study);
  const trigger = (
    <IconButton label={t({ id: "study.moreOf", message: `More actions: ${name}` })} disabled={isBusy}>
      <EllipsisIcon />
    </IconButton>
  );
  return (
    <Dropdown trigger={trigger}>
      {access.download && (
        <DropdownItem onSelect={() => void download(study)}>
          <DownloadIcon />
          <Trans id="study.download">Download exam</Trans>
        </DropdownItem>
      )}
      {access.delete && (
        <DropdownItem danger onSelect={() => askDeletion(study)}>
          <TrashIcon />
          <Trans id="study.delete">Delete exam</Trans>
        </DropdownItem>
      )}
    </Dropdown>
  );
}
