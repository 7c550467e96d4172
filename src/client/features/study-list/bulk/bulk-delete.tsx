import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { isStudyGone } from "../../studies/is-study-gone.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { BulkConfirm } from "./bulk-confirm.tsx";
import { oneByOne, useBulkJob } from "./bulk-job.ts";
import type { BulkDialogProps } from "./bulk-parts.tsx";
import { useBulkEnd } from "./use-bulk-end.ts";

/** Asks once, and deletes the chosen exams one after the other. One that is gone already, by another tab, is as deleted as the others. */
export function BulkDelete(props: BulkDialogProps) {
  const { t } = useLingui();
  const count = props.studies.length;
  const job = useBulkJob({
    act: (run) =>
      oneByOne(run, ({ id }) => studiesApi.remove(id).catch(unlessGone), {
        unknown: t({ id: "study.deleteRefused", message: "Error deleting exam" }),
        stopped: t({ id: "bulk.stopped", message: "Stopped before it was its turn." }),
      }),
    onEnd: useBulkEnd({
      title: (done) =>
        t({ id: "bulk.deleted", message: plural(done, { one: "# exam deleted", other: "# exams deleted" }) }),
      onClose: props.onClose,
    }),
  });
  return (
    <BulkConfirm
      {...props}
      job={job}
      title={t({
        id: "bulk.delete.title",
        message: plural(count, { one: "Delete # exam?", other: "Delete # exams?" }),
      })}
      text={
        <Trans id="bulk.delete.text">
          All their files, data and reports will be removed. This action cannot be undone.
        </Trans>
      }
      confirmKind="destroy"
      confirmLabel={<Trans id="action.delete">Delete</Trans>}
      busyLabel={<Trans id="action.deleting">Deleting…</Trans>}
    />
  );
}

function unlessGone(failure: unknown): void {
  if (!isStudyGone(failure)) throw failure;
}
