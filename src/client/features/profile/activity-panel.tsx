import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { actingTokenText } from "../../ui/text/acting-token-text.ts";
import { momentText } from "../../ui/text/moment-text.ts";
import { activityText } from "./activity-text.ts";
import { type Act, actsOf } from "./acts.ts";
import { useActivity } from "./use-activity.ts";

const SKELETON_ROWS = [1, 2, 3, 4];
/** How many exams of one act are named. */
const MAX_NAMED = 3;

/** What was done in the account, by whom, when and from where. */
export function ActivityPanel() {
  return (
    <section className="panel activity" aria-labelledby="activity-title">
      <h2 id="activity-title">
        <Trans id="activity.title">Activity in your account</Trans>
      </h2>
      <p className="activity-lead">
        <Trans id="activity.text">
          Who signed in, and who saw, sent or changed something. If you do not recognize an entry, change your
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
        {actsOf(pages.flatMap(({ events }) => events)).map((act) => (
          <ActRow key={act.id} act={act} />
        ))}
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

function ActRow({ act: { at, action, actorName, isYours, address, token, ...about } }: { act: Act }) {
  const { i18n, t } = useLingui();
  const who = isYours ? t({ id: "activity.you", message: "You" }) : actorName;
  const facts = [who, actingTokenText(i18n, token), useExamsText(about), address];
  return (
    <li>
      <b>{activityText(i18n, action)}</b>
      <time dateTime={at}>{momentText(at)}</time>
      <span>{facts.filter(Boolean).join(" · ")}</span>
    </li>
  );
}

/** The exams of an act, the first ones by name; empty where it is about none. */
function useExamsText({ exams, examCount: count }: Pick<Act, "exams" | "examCount">): string {
  const { t } = useLingui();
  const named = exams.slice(0, MAX_NAMED);
  const more = count - named.length;
  if (more === 0) return named.join(", ");
  if (named.length > 0)
    return [
      named.join(", "),
      t({ id: "activity.moreExams", message: plural(more, { one: "and # more", other: "and # more" }) }),
    ].join(" ");
  if (count === 1) return "";
  return t({ id: "link.exams", message: plural(count, { one: "# exam", other: "# exams" }) });
}
