import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CloseIcon } from "../../../ui/entry-icons.tsx";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { openAtom } from "../../places/views.ts";
import { type ConflictingFiles, lastConflictsAtom } from "./last-upload.ts";

const isConflictListOpenAtom = openAtom("conflicts");

/** Above the list after an upload that brought other images under numbers already taken; stays until it is closed. */
export function ConflictNotice() {
  const { t } = useLingui();
  const [last, setLast] = useAtom(lastConflictsAtom);
  const [open, setOpen] = useAtom(isConflictListOpenAtom);
  if (!last) return null;
  const { conflictCount } = last;
  return (
    <div className="notice skipped-notice" role="status">
      <TriangleAlertIcon />
      <span>
        <Plural
          id="conflicts.notice"
          value={conflictCount}
          one="# image of the last upload differs from another with the same identifier. Both are kept."
          other="# images of the last upload differ from others with the same identifier. All are kept."
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
        title={<Trans id="conflicts.title">Two images, one identifier</Trans>}
      >
        <p className="dialog-text">
          <Trans id="conflicts.text">
            The viewer shows the one that came first. Downloading the exam brings both, so keep the original
            disc until you know which one is right.
          </Trans>
        </p>
        <ConflictList files={last} />
        <div className="dialog-actions">
          <Button onClick={() => setOpen(false)}>
            <Trans id="action.close">Close</Trans>
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

function ConflictList({ files: { conflicts, conflictCount } }: { files: ConflictingFiles }) {
  const more = conflictCount - conflicts.length;
  return (
    <ul className="skipped-list">
      {conflicts.map(({ name, sopInstanceUID }) => (
        <li key={name} className="skipped-file">
          <span className="mono">{name}</span>
          <span className="mono">{sopInstanceUID}</span>
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
