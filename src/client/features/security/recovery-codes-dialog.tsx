import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DownloadIcon, PrinterIcon } from "../../ui/icons.tsx";
import { useShownOnce } from "../../ui/shown-once.tsx";
import { saveFile } from "../pdf/save-file.ts";
import { useStay } from "../places/use-stay.ts";

/** Shows new recovery codes, once. Only its button closes it, so that no stray click and no Back loses them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { t } = useLingui();
  const once = useShownOnce(
    <Trans id="security.codes.once">
      The codes are shown only once. Copy, download or print them, then choose “I have kept them”.
    </Trans>,
  );
  useStay(true);
  const text = `${codes.join("\n")}\n`;
  const fileName = t({ id: "security.codes.fileName", message: "exameteca-recovery-codes.txt" });
  const save = () => saveFile(new Blob([text], { type: "text/plain" }), fileName);
  return (
    <Dialog
      open
      onOpenChange={once.hold}
      title={<Trans id="security.codes.title">Your recovery codes</Trans>}
      text={
        <Trans id="security.codes.text">
          Each opens your account once if you lose your passkey or phone. Keep them on paper or in a password
          manager: they are not shown again.
        </Trans>
      }
    >
      <ol
        className="recovery-codes"
        aria-label={t({ id: "security.codes.title", message: "Your recovery codes" })}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="recovery-ways">
        <CopyButton text={text} />
        <Button onClick={save}>
          <DownloadIcon small />
          <Trans id="security.codes.download">Download</Trans>
        </Button>
        <Button onClick={() => window.print()}>
          <PrinterIcon small />
          <Trans id="security.codes.print">Print</Trans>
        </Button>
      </div>
      {once.notice}
      <div className="dialog-actions">
        <Button kind="lit" onClick={onClose}>
          <Trans id="security.codes.kept">I have kept them</Trans>
        </Button>
      </div>
    </Dialog>
  );
}
