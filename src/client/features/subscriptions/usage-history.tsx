import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { UsageItem } from "../../../shared/api/subscriptions.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import type { Icon } from "../../ui/icon.tsx";
import { DownloadIcon, TrashIcon, UploadIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { momentText } from "../../ui/text/moment-text.ts";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { useUsageHistory } from "../plan/use-subscription.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";

const SKELETON_ROWS = [1, 2, 3, 4];
const actions: Record<UsageItem["actionType"], { name: MessageDescriptor; icon: Icon }> = {
  upload: { name: msg({ id: "usage.upload", message: "Upload" }), icon: UploadIcon },
  download: { name: msg({ id: "usage.download", message: "Download" }), icon: DownloadIcon },
  delete: { name: msg({ id: "usage.delete", message: "Deletion" }), icon: TrashIcon },
};

function actionName(i18n: I18n, action: UsageItem["actionType"]): string {
  return i18n._(actions[action].name);
}

/** The last activities that counted against the plan, newest first. */
export function UsageHistory() {
  const query = useUsageHistory();
  const { data, refetch } = query;
  const error = useFailure(query);
  if (error) {
    return (
      <LoadError
        title={<Trans id="usage.failed">Error loading the usage history</Trans>}
        error={error}
        onRetry={refetch}
      />
    );
  }
  if (!data) return <HistorySkeleton />;
  if (data.length === 0) {
    return (
      <p className="plans-none panel">
        <Trans id="usage.none">Nothing yet. Uploads, downloads and deletions are listed here.</Trans>
      </p>
    );
  }
  return (
    <ol className="panel usage-list">
      {data.map((item) => (
        <HistoryItem key={item.id} item={item} />
      ))}
    </ol>
  );
}

function HistoryItem({ item: { actionType, study, timestamp } }: { item: UsageItem }) {
  const { i18n } = useLingui();
  const { icon: ActionIcon } = actions[actionType];
  return (
    <li>
      <ActionIcon small />
      <b>{actionName(i18n, actionType)}</b>
      <span className="usage-study">
        {study ? <HistoryStudy study={study} /> : <GoneStudy actionType={actionType} />}
      </span>
      <time dateTime={timestamp}>{momentText(timestamp)}</time>
    </li>
  );
}

function HistoryStudy({ study }: { study: NonNullable<UsageItem["study"]> }) {
  const { i18n } = useLingui();
  return (
    <>
      <span>{descriptionText(i18n, study)}</span>{" "}
      <small>
        {patientText(i18n, study)}, <WholeDates>{dateText(i18n, study.studyDate)}</WholeDates>
      </small>
    </>
  );
}

/** Only a download can have been of somebody else's exam. */
function GoneStudy({ actionType }: Pick<UsageItem, "actionType">) {
  return (
    <small>
      {actionType === "download" ? (
        <Trans id="usage.goneOrUnshared">Exam deleted or no longer shared with you</Trans>
      ) : (
        <Trans id="usage.gone">Exam deleted</Trans>
      )}
    </small>
  );
}

function HistorySkeleton() {
  return (
    <div className="panel usage-list" aria-busy="true">
      {SKELETON_ROWS.map((row) => (
        <Skeleton key={row} className="mx-5 my-6 h-3" />
      ))}
    </div>
  );
}
