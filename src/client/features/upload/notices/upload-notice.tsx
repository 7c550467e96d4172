import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom, type WritableAtom } from "jotai";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CloseIcon } from "../../../ui/entry-icons.tsx";
import type { Icon } from "../../../ui/icon.tsx";

/** A file of the last upload, and what the list says about it. */
interface NoticedFile {
  name: string;
  remark: ReactNode;
}

interface UploadNoticeProps {
  icon: Icon;
  /** What the notice says before the list is opened. */
  summary: ReactNode;
  isListOpenAtom: WritableAtom<boolean, [boolean], void>;
  title: ReactNode;
  text?: ReactNode;
  files: readonly NoticedFile[];
  /** Count of all files; the server names only the first ones. */
  total: number;
  onDismiss: () => void;
}

/** A notice above the list about files of the last upload. It names them on request and stays until it is closed. */
export function UploadNotice(props: UploadNoticeProps) {
  const { icon: NoticeIcon, summary, isListOpenAtom, title, text, files, total, onDismiss } = props;
  const { t } = useLingui();
  const [open, setOpen] = useAtom(isListOpenAtom);
  const more = total - files.length;
  return (
    <div className="notice skipped-notice" role="status">
      <NoticeIcon />
      <span>{summary}</span>
      <Button kind="quiet" size="small" onClick={() => setOpen(true)}>
        <Trans id="skipped.show">Show which</Trans>
      </Button>
      <IconButton label={t({ id: "action.close", message: "Close" })} onClick={onDismiss}>
        <CloseIcon />
      </IconButton>
      <Dialog open={open} onOpenChange={setOpen} wide title={title}>
        {text && <p className="dialog-text">{text}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <ul className="skipped-list" tabIndex={0}>
          {files.map(({ name, remark }) => (
            <li key={name} className="skipped-file">
              <span className="mono">{name}</span>
              {remark}
            </li>
          ))}
          {more > 0 && (
            <li className="skipped-file">
              <Plural id="skipped.more" value={more} one="and # more" other="and # more" />
            </li>
          )}
        </ul>
        <div className="dialog-actions">
          <Button onClick={() => setOpen(false)}>
            <Trans id="action.close">Close</Trans>
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
