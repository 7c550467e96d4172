import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useOpener } from "../../../ui/hooks/use-opener.ts";
import { LinkForm } from "../../sharing/link-form.tsx";
import { LinkReady } from "../../sharing/link-ready.tsx";
import type { ReadyLink } from "../../sharing/ready-link.ts";
import { ShareTabs, type ShareWay } from "../../sharing/share-tabs.tsx";
import { sharingApi } from "../../sharing/sharing-api.ts";
import { useIsCreatingLink } from "../../sharing/use-links.ts";
import { oneByOne, useBulkJob } from "./bulk-job.ts";
import { type BulkDialogProps, BulkProgressLine, LeftExams, NamedExams, OtherExams } from "./bulk-parts.tsx";
import { useBulkEnd } from "./use-bulk-end.ts";

/** Makes one link for the chosen exams, or asks once for whom they are and gives that person one after the other. */
export function BulkShare({ studies, others, onClose }: BulkDialogProps) {
  const { t } = useLingui();
  const [way, setWay] = useState<ShareWay>("link");
  const [email, setEmail] = useState("");
  const [ready, setReady] = useState<ReadyLink>();
  const opener = useOpener(true);
  const count = studies.length;
  const job = useBulkJob({
    act: (run) =>
      oneByOne(run, ({ id }) => sharingApi.share(id, { email: email.trim() }), {
        unknown: t({ id: "error.unknown", message: "Unknown error" }),
        stopped: t({ id: "bulk.stopped", message: "Stopped before it was its turn." }),
      }),
    onEnd: useBulkEnd({
      title: (done) =>
        t({ id: "bulk.shared", message: plural(done, { one: "# exam shared", other: "# exams shared" }) }),
      text: email.trim(),
      onClose,
    }),
  });
  const isCreating = useIsCreatingLink();
  const isBusy = job.progress !== undefined || isCreating;
  const [main, ...more] = studies;
  if (ready) return <LinkReady exams={studies} link={ready} onClose={onClose} returnTo={opener} />;
  return (
    <Dialog
      wide
      open
      onOpenChange={(open) => {
        if (!open && !isBusy) onClose();
      }}
      title={t({
        id: "bulk.share.title",
        message: plural(count, { one: "Share # exam", other: "Share # exams" }),
      })}
    >
      <NamedExams studies={studies} />
      <OtherExams others={others} />
      <ShareTabs
        way={way}
        onWay={setWay}
        isBusy={isBusy}
        byLink={main && <LinkForm study={main} chosen={more} onReady={setReady} onCancel={onClose} />}
        byAccount={
          <form
            className="mt-4 grid gap-2"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (email.trim() && count > 0 && !isBusy) void job.run(studies);
            }}
          >
            <TextField
              type="email"
              label={<Trans id="share.email">Doctor's e-mail</Trans>}
              hint={
                <Trans id="share.hint">
                  The doctor sees the images and the report in their account. They cannot delete anything.
                </Trans>
              }
              autoComplete="off"
              disabled={isBusy}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
            <LeftExams left={job.left} studies={studies} />
            <BulkProgressLine job={job} />
            <div className="dialog-actions">
              <Button disabled={isBusy} onClick={onClose}>
                <Trans id="action.cancel">Cancel</Trans>
              </Button>
              <Button kind="lit" type="submit" disabled={!email.trim() || count === 0 || isBusy}>
                <Trans id="share.give">Give access</Trans>
              </Button>
            </div>
          </form>
        }
      />
    </Dialog>
  );
}
