import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { FileTextIcon } from "../../../ui/icons.tsx";
import { openAtom } from "../../places/views.ts";
import { lastSkippedAtom } from "./last-upload.ts";
import { skippedReason } from "./skipped-reasons.ts";
import { UploadNotice } from "./upload-notice.tsx";

const isSkippedListOpenAtom = openAtom("skipped");

/** Names the files that the last upload left out, each with the reason. */
export function SkippedNotice() {
  const { i18n } = useLingui();
  const [last, setLast] = useAtom(lastSkippedAtom);
  if (!last) return null;
  const { skipped, skippedCount } = last;
  return (
    <UploadNotice
      icon={FileTextIcon}
      summary={
        <Plural
          id="skipped.notice"
          value={skippedCount}
          one="# file of the last upload was left out."
          other="# files of the last upload were left out."
        />
      }
      isListOpenAtom={isSkippedListOpenAtom}
      title={<Trans id="skipped.title">Files left out</Trans>}
      files={skipped.map(({ name, reason }) => ({
        name,
        remark: <span>{i18n._(skippedReason(reason))}</span>,
      }))}
      total={skippedCount}
      onDismiss={() => setLast(undefined)}
    />
  );
}
