import { Plural, Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { openAtom } from "../../places/views.ts";
import { lastConflictsAtom } from "./last-upload.ts";
import { UploadNotice } from "./upload-notice.tsx";

const isConflictListOpenAtom = openAtom("conflicts");

/** Names the instances of the last upload whose identifiers other instances already have. */
export function ConflictNotice() {
  const [last, setLast] = useAtom(lastConflictsAtom);
  if (!last) return null;
  const { conflicts, conflictCount } = last;
  return (
    <UploadNotice
      icon={TriangleAlertIcon}
      summary={
        <Plural
          id="conflicts.notice"
          value={conflictCount}
          one="# image of the last upload differs from another with the same identifier. Both are kept."
          other="# images of the last upload differ from others with the same identifier. All are kept."
        />
      }
      isListOpenAtom={isConflictListOpenAtom}
      title={<Trans id="conflicts.title">Two images, one identifier</Trans>}
      text={
        <Trans id="conflicts.text">
          The viewer shows the one that came first. Downloading the exam brings both, so keep the original
          disc until you know which one is right.
        </Trans>
      }
      files={conflicts.map(({ name, sopInstanceUID }) => ({
        name,
        remark: <span className="mono">{sopInstanceUID}</span>,
      }))}
      total={conflictCount}
      onDismiss={() => setLast(undefined)}
    />
  );
}
