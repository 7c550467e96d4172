import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { IconButton } from "../../ui/button.tsx";
import { Dropdown, DropdownItem } from "../../ui/dropdown.tsx";
import { DownloadIcon, EllipsisIcon, TrashIcon } from "../../ui/icons.tsx";
import { busyStudiesAtom } from "../studies/busy-studies.ts";
import { useDownload } from "../studies/use-download.ts";
import { deletionAskedAtom } from "./list-actions.ts";

/** The person's actions on the study besides viewing and sharing it, in a menu. */
export function MoreActions({ study }: { study: Study }) {
  const { t } = useLingui();
  const download = useDownload();
  const askDeletion = useSetAtom(deletionAskedAtom);
  const isBusy = useAtomValue(busyStudiesAtom).has(study.id);
  const { access } = study;
  if (!access.download && !access.delete) return null;
  const trigger = (
    <IconButton label={t({ id: "study.more", message: "More actions" })} disabled={isBusy}>
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
