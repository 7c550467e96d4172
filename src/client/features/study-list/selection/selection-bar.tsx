import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import { Button } from "../../../ui/button.tsx";
import { DownloadIcon, ShareIcon, TrashIcon } from "../../../ui/icons.tsx";
import { BulkDialog } from "../bulk/bulk-dialog.tsx";
import { bulkAskedAtom, MAX_SELECTED, selectionAtom, stopSelectingAtom } from "./selection.ts";

/** While exams are being chosen: how many they are, and what can be done with all of them. */
export function SelectionBar() {
  const { t } = useLingui();
  const selection = useAtomValue(selectionAtom);
  const ask = useSetAtom(bulkAskedAtom);
  const stop = useSetAtom(stopSelectingAtom);
  if (!selection) return null;
  const studies = [...selection.values()];
  const isNone = studies.length === 0;
  const mayAny = (right: "download" | "share" | "delete") => studies.some(({ access }) => access[right]);
  return (
    <section className="selection-bar" aria-label={t({ id: "select.bar", message: "Selected exams" })}>
      <p role="status">
        {isNone ? (
          <Trans id="select.none">Choose the exams in the list.</Trans>
        ) : (
          <Plural id="select.count" value={studies.length} one="# exam selected" other="# exams selected" />
        )}
        {studies.length >= MAX_SELECTED && (
          <span>
            {" "}
            <Trans id="select.full">That is the most for one go.</Trans>
          </span>
        )}
      </p>
      <Button disabled={!mayAny("download")} onClick={() => ask("download")}>
        <DownloadIcon small />
        <Trans id="select.download">Download</Trans>
      </Button>
      <Button disabled={!mayAny("share")} onClick={() => ask("share")}>
        <ShareIcon small />
        <Trans id="select.share">Share</Trans>
      </Button>
      <Button disabled={!mayAny("delete")} onClick={() => ask("delete")}>
        <TrashIcon small />
        <Trans id="action.delete">Delete</Trans>
      </Button>
      <Button kind="quiet" onClick={() => stop()}>
        <Trans id="select.done">Done</Trans>
      </Button>
      <BulkDialog studies={studies} />
    </section>
  );
}
