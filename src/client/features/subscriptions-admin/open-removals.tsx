import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Removal } from "../../../shared/api/subscriptions.ts";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { AdminRows, RowOwner } from "./admin-rows.tsx";
import { adminSubscriptionsApi } from "./admin-subscriptions-api.ts";
import { SubscriptionsError } from "./subscriptions-error.tsx";
import { useAdminAction } from "./use-admin-action.ts";
import { useRemovals } from "./use-admin-subscriptions.ts";

/** Exams that were removed with a subscription and can still be restored. */
export function OpenRemovals() {
  const query = useRemovals();
  const { data, refetch } = query;
  const error = useFailure(query);
  return (
    <>
      {error && <SubscriptionsError error={error} onRetry={refetch} />}
      {(data || !error) && (
        <section className="panel admin-panel">
          <AdminRows
            rows={data}
            none={<Trans id="subscriptions.noRemovals">No cancelled exams wait to be deleted.</Trans>}
          >
            {(removal) => <RemovalRow key={removal.id} removal={removal} />}
          </AdminRows>
        </section>
      )}
    </>
  );
}

function RemovalRow({ removal }: { removal: Removal }) {
  const { i18n, t } = useLingui();
  const undo = useUndo();
  const { user, reason, purgeAfter, studyCount, labExamCount } = removal;
  const { name } = user;
  const until = i18n.date(new Date(purgeAfter), { dateStyle: "short", timeStyle: "short" });
  return (
    <li>
      <RowOwner name={user.name} email={user.email} />
      <div>
        <b>
          {reason === "cancelled" ? (
            <Trans id="subscriptions.removal.cancelled">Cancelled</Trans>
          ) : (
            <Trans id="subscriptions.removal.lapsed">A year without renewal</Trans>
          )}
        </b>
        <span>
          <Trans id="subscriptions.removal.until">Deleted for good on {until}</Trans>
        </span>
      </div>
      <div>
        <span>
          <Plural id="subscriptions.removal.studies" value={studyCount} one="# exam" other="# exams" />
        </span>
        <span>
          <Plural
            id="subscriptions.removal.labs"
            value={labExamCount}
            one="# laboratory PDF"
            other="# laboratory PDFs"
          />
        </span>
      </div>
      <div className="admin-actions">
        <Button
          size="small"
          disabled={undo.isPending}
          aria-label={t({ id: "subscriptions.removal.undoOf", message: `Bring back: exams of ${name}` })}
          onClick={() => undo.mutate(removal)}
        >
          {undo.isPending ? (
            <Trans id="subscriptions.removal.undoing">Bringing back…</Trans>
          ) : (
            <Trans id="subscriptions.removal.undo">Bring back</Trans>
          )}
        </Button>
      </div>
    </li>
  );
}

function useUndo() {
  const { t } = useLingui();
  return useAdminAction({
    run: ({ id }: Removal) => adminSubscriptionsApi.undo(id),
    done: ({ skippedStudies }, { user: { name } }) => ({
      title: t({ id: "subscriptions.removal.undone", message: `${name} has the exams back` }),
      ...(skippedStudies > 0 && {
        text: t({
          id: "subscriptions.removal.skipped",
          message: plural(skippedStudies, {
            one: "# exam had been uploaded again meanwhile and stays as it is.",
            other: "# exams had been uploaded again meanwhile and stay as they are.",
          }),
        }),
      }),
    }),
  });
}
