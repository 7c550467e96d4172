import { useAtom } from "jotai";
import { useEffect } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { type BulkAction, bulkActions, bulkAskedAtom } from "../selection/selection.ts";
import { BulkDelete } from "./bulk-delete.tsx";
import { BulkDownload } from "./bulk-download.tsx";
import type { BulkDialogProps } from "./bulk-parts.tsx";
import { BulkShare } from "./bulk-share.tsx";

const dialogs = { download: BulkDownload, share: BulkShare, delete: BulkDelete };

/** Asks once about all chosen exams. After a reload nothing is chosen any more, so nothing is asked. */
export function BulkDialog({ studies }: { studies: readonly Study[] }) {
  const [asked, setAsked] = useAtom(bulkAskedAtom);
  const action = bulkActions.find((known) => known === asked);
  const isOver = asked !== undefined && (action === undefined || studies.length === 0);
  useEffect(() => {
    if (isOver) setAsked(undefined);
  }, [isOver, setAsked]);
  if (!action || isOver) return null;
  const Ask = dialogs[action];
  return <Ask {...splitBy(action, studies)} onClose={() => setAsked(undefined)} />;
}

function splitBy(action: BulkAction, chosen: readonly Study[]): Pick<BulkDialogProps, "studies" | "others"> {
  return {
    studies: chosen.filter(({ access }) => access[action]),
    others: chosen.filter(({ access }) => !access[action]),
  };
}
