import { Trans, useLingui } from "@lingui/react/macro";
import type { MouseEvent, ReactElement } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { MaximizeIcon } from "../../../ui/icons.tsx";
import { Tooltip } from "../../../ui/tooltip.tsx";
import { useHis } from "../../session/his-context.ts";
import { openerOf } from "../../studies/list-openers.ts";
import { findingOf } from "../../studies/study-integrity.tsx";
import { descriptionText, isViewable } from "../../studies/study-text.ts";
import { StorageDot, StorageName } from "../storage-status.tsx";
import { useShowImages } from "./use-show-images.ts";

/** Opens the study in the viewer once it is in the store; until then it says what to wait for. */
export function ViewerButton({ study, kind = "row" }: { study: Study; kind?: "row" | "icon" | "lit" }) {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const showImages = useShowImages();
  const canView = isViewable(study);
  const open = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    if (!canView) return;
    // Not every browser focuses a clicked button, and the viewer returns the focus to the element that had it.
    currentTarget.focus();
    showImages(study);
  };
  const state = {
    onClick: open,
    "aria-disabled": !canView,
    ...openerOf({ studyId: study.id, opens: "viewer" }),
  } as const;
  const label = t({ id: "study.open", message: "Open" });
  const name = descriptionText(i18n, study);
  const named = t({ id: "study.openOf", message: `Open: ${name}` });

  if (kind === "lit") {
    return (
      <WaitTooltip study={study}>
        <Button kind="lit" aria-label={named} {...state}>
          <MaximizeIcon small />
          {label}
        </Button>
      </WaitTooltip>
    );
  }
  if (kind === "icon" || user.role === "admin") {
    return (
      <span className="viewer-cell">
        {kind === "row" && (
          <Tooltip text={<StorageName status={study.storageStatus} />}>
            <span className="viewer-storage">
              <StorageDot status={study.storageStatus} wordless />
            </span>
          </Tooltip>
        )}
        <WaitTooltip study={study}>
          <IconButton
            label={t({ id: "study.openViewerOf", message: `Open in the viewer: ${name}` })}
            {...state}
          >
            <MaximizeIcon />
          </IconButton>
        </WaitTooltip>
      </span>
    );
  }
  return (
    <WaitTooltip study={study}>
      <Button size="small" aria-label={named} {...state}>
        <MaximizeIcon small />
        <span className="viewer-label">{label}</span>
      </Button>
    </WaitTooltip>
  );
}

function WaitTooltip({ study, children }: { study: Study; children: ReactElement }) {
  const { i18n } = useLingui();
  if (isViewable(study)) return children;
  const finding = findingOf(study);
  const wait = <Trans id="study.waitForTransfer">Wait for the transfer to finish</Trans>;
  return <Tooltip text={finding ? i18n._(finding.text) : wait}>{children}</Tooltip>;
}
