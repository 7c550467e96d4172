import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CloseIcon } from "../../../ui/entry-icons.tsx";
import { FileTextIcon } from "../../../ui/icons.tsx";
import { openAtom } from "../../places/views.ts";
import { lastSkippedAtom, type SkippedFiles } from "./last-upload.ts";
import { skippedReason } from "./skipped-reasons.ts";

const isSkippedListOpenAtom = openAtom("skipped");

/** Above the list after an upload that left files out: how many, and on request which and why. */
export function SkippedNotice() {
  const { t } = useLingui();
  const [last, setLast] = useAtom(lastSkippedAtom);
  const [open, setOpen] = useAtom(isSkippedListOpenAtom);
  if (!last) return null;
  const { skippedCount } = last;
  return (
    <div className="notice skipped-notice" role="status">
      <FileTextIcon />
      <span>
        <Plural
          id="skipped.notice"
          value={skippedCount}
          one="# file of the last upload was left out."
          other="# files of the last upload were left out."
        />
      </span>
      <Button kind="quiet" size="small" onClick={() => setOpen(true)}>
        <Trans id="skipped.show">Show which</Trans>
      </Button>
      <IconButton label={t({ id: "action.close", message: "Close" })} onClick={() => setLast(undefined)}>
        <CloseIcon />
      </IconButton>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        wide
        title={<Trans id="skipped.title">Files left out</Trans>}
      >
        <SkippedList files={last} />
        <div className="dialog-actions">
          <Button onClick={() => setOpen(false)}>
            <Trans id="action.close">Close</Trans>
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

function SkippedList({ files: { skipped, skippedCount } }: { files: SkippedFiles }) {
  const { i18n } = useLingui();
  const more = skippedCount - skipped.length;
  return (
    <ul className="skipped-list">
      {skipped.map(({ name, reason }) => (
        <li key={name} className="skipped-file">
          <span className="mono">{name}</span>
          <span>{i18n._(skippedReason(reason))}</span>
        </li>
      ))}
      {more > 0 && (
        <li className="skipped-file">
          <Plural id="skipped.more" value={more} one="and # more" other="and # more" />
        </li>
      )}
    </ul>
  );
}
