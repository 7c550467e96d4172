import { useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import { createContext, use } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { IconButton } from "../../../ui/button.tsx";
import { DownloadIcon, TrashIcon } from "../../../ui/icons.tsx";
import { ShareButton } from "../../sharing/share-actions.tsx";
import { busyStudiesAtom } from "../../studies/busy-studies.ts";
import { descriptionText } from "../../studies/study-text.ts";
import { useDownload } from "../../studies/use-download.ts";
import { deletionAskedAtom } from "./list-actions.ts";
import { MoreActions } from "./more-actions.tsx";

/** Whether the table has room for two buttons only. */
export const IsTight = createContext(false);

/** The person's actions on the study besides viewing it. */
export function ActionsCell({ study }: { study: Study }) {
  return (
    <div className="study-actions">
      {use(IsTight) ? (
        <>
          <ShareButton study={study} />
          <MoreActions study={study} />
        </>
      ) : (
        <EachAction study={study} />
      )}
    </div>
  );
}

function EachAction({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const download = useDownload();
  const askDeletion = useSetAtom(deletionAskedAtom);
  const isBusy = useAtomValue(busyStudiesAtom).has(study.id);
  const name = descriptionText(i18n, study);
  return (
    <>
      {study.access.download && (
        <IconButton
          label={t({ id: "study.downloadOf", message: `Download exam: ${name}` })}
          disabled={isBusy}
          onClick={() => void download(study)}
        >
          <DownloadIcon />
        </IconButton>
      )}
      <ShareButton study={study} />
      {study.access.delete && (
        <IconButton
          label={t({ id: "study.deleteOf", message: `Delete exam: ${name}` })}
          destructive
          disabled={isBusy}
          onClick={() => askDeletion(study)}
        >
          <TrashIcon />
        </IconButton>
      )}
    </>
  );
}
