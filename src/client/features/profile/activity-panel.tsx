import { Trans, useLingui } from "@lingui/react/macro";
import type { Activity } from "../../../shared/api/users.ts";
import { actingTokenText } from "../../ui/acting-token-text.ts";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { momentText } from "../../ui/moment-text.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { activityText } from "./activity-text.ts";
import { useActivity } from "./use-activity.ts";

const SKELETON_ROWS = [1, 2, 3, 4];

/** What was done in the account, by whom, when and from where. */
export function ActivityPanel() {
  return (
    <section className="panel activity" aria-labelledby="activity-title">
      <h2 id="activity-title">
        <Trans id="activity.title">Activity in your account</Trans>
      </h2>
      <p className="activity-lead">
        <Trans id="activity.text">
          Who signed in, and who saw, sent or changed something. If you do not know an entry, change your
          password.
        </Trans>
      </p>
      <Events />
    </section>
  );
}

function Events() {
  const { pages, error, refetch, showMore, isLoadingMore } = useActivity();
  const failed = error && (
    <LoadError
      title={<Trans id="activity.failed">Your activity could not be loaded</Trans>}
      error={error}
      onRetry={pages && showMore ? showMore : refetch}
    />
  );
  if (failed && !pages) return failed;
  if (!pages) {
    return (
      <div className="activity-shape" aria-busy="true">
        {SKELETON_ROWS.map((row) => (
          <Skeleton key={row} className="h-8" />
        ))}
      </div>
    );
  }
  return (
    <>
      <ol className="activity-list">
        {pages.flatMap(({ events }) => events.map((event) => <EventRow key={event.id} event={event} />))}
      </ol>
      {failed}
      {showMore && !failed && (
        <Button className="activity-more" disabled={isLoadingMore} onClick={showMore}>
          <Trans id="activity.more">Show more</Trans>
        </Button>
      )}
    </>
  );
}

function EventRow({
  event: { at, action, actorName, isYours, exam, address, token },
}: {
  event: Activity["events"][number];
}) {
  const { i18n, t } = useLingui();
  const who = isYours ? t({ id: "activity.you", message: "You" }) : actorName;
  return (
    <li>
      <b>{activityText(i18n, action)}</b>
      <time dateTime={at}>{momentText(at)}</time>
      <span>{[who, actingTokenText(i18n, token), exam, address].filter(Boolean).join(" · ")}</span>
    </li>
  );
}
