import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endUploadCall } from "../../../../shared/api/resumable.ts";
import { ApiError, callApi } from "../../../calls/api.ts";
import { IconButton } from "../../../ui/button.tsx";
import { CloseIcon } from "../../../ui/entry-icons.tsx";
import { FileArchiveIcon } from "../../../ui/icons.tsx";
import { useHis } from "../../session/his-context.ts";
import { useSourceName } from "../source-name.ts";
import { accountUploadsQuery } from "./account-uploads.ts";
import { CancelQuestion } from "./cancel-upload.tsx";
import type { UploadElsewhere } from "./elsewhere.ts";

/** An upload that another page sends: how far it is. It can only be discarded from here. */
export function ElsewhereRow({ upload, isInThisBrowser, isMoving }: UploadElsewhere) {
  const { t } = useLingui();
  const [isAsked, setAsked] = useState(false);
  const discard = useDiscard(upload.id);
  const { filename, offset, sizeBytes } = upload;
  const name = useSourceName({ kind: "folder", name: filename });
  const percent = Math.floor((100 * offset) / sizeBytes);
  return (
    <li className={`tray-row ${isMoving ? "" : "is-warn"}`} tabIndex={-1}>
      <span className="tray-picture">
        <FileArchiveIcon />
      </span>
      <div className="tray-text">
        <b>{name}</b>
        <span className="tray-line">
          <ElsewhereText percent={percent} isInThisBrowser={isInThisBrowser} isMoving={isMoving} />
        </span>
        <span className="progress-line" style={{ "--percent": percent }} aria-hidden="true" />
      </div>
      <div className="tray-actions">
        <IconButton
          label={t({ id: "tray.cancelOf", message: `Cancel the upload of ${name}` })}
          onClick={() => setAsked(true)}
        >
          <CloseIcon />
        </IconButton>
      </div>
      <CancelQuestion
        open={isAsked}
        percent={percent}
        onClose={() => setAsked(false)}
        onCancel={() => void discard()}
      />
    </li>
  );
}

interface ElsewhereTextProps extends Pick<UploadElsewhere, "isInThisBrowser" | "isMoving"> {
  percent: number;
}

function ElsewhereText({ percent, isInThisBrowser, isMoving }: ElsewhereTextProps) {
  if (isInThisBrowser) return <Trans id="tray.elsewhere.tab">{percent}% · in another tab</Trans>;
  return isMoving ? (
    <Trans id="tray.elsewhere.browser">{percent}% · in another browser</Trans>
  ) : (
    <Trans id="tray.elsewhere.browserStopped">Interrupted at {percent}% in another browser</Trans>
  );
}

function useDiscard(id: string): () => Promise<void> {
  const { user } = useHis();
  const queryClient = useQueryClient();
  return async () => {
    try {
      await callApi(endUploadCall, { params: { upload: id }, headers: { "Tus-Resumable": "1.0.0" } });
    } catch (error) {
      // It is gone, or the next reading shows that it is not.
      if (!(error instanceof ApiError)) throw error;
    }
    await queryClient.invalidateQueries({ queryKey: accountUploadsQuery(user.id).queryKey });
  };
}
