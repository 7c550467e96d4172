import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { Failed } from "./failed.tsx";
import { useInvitations, useWithdrawal } from "./use-invitations.ts";

/** The invitations that nobody has accepted yet; nothing if there are none. Why they could not be read stands in their place. */
export function OpenInvitations({ studyId }: { studyId: string }) {
  const { t } = useLingui();
  const query = useInvitations(studyId);
  const error = useFailure(query);
  const withdrawal = useWithdrawal(studyId);
  const { data = [] } = query;
  if (!error && data.length === 0) return null;
  return (
    <section>
      <h3>
        <Trans id="share.invitations">Invited</Trans>
      </h3>
      {error && <Failed text={error.message} />}
      {data.length > 0 && (
        <ul className="share-list">
          {data.map(({ id, email, expiresAt }) => {
            const day = dayText(expiresAt);
            return (
              <li key={id}>
                <div>
                  <b>{email}</b>
                  <span>
                    <Trans id="share.invitedUntil">waits for an answer until {day}</Trans>
                  </span>
                </div>
                <Button
                  size="small"
                  disabled={withdrawal.isPending && withdrawal.variables === id}
                  aria-label={t({ id: "share.withdrawOf", message: `Withdraw the invitation of ${email}` })}
                  onClick={() => withdrawal.mutate(id)}
                >
                  <Trans id="share.withdraw">Withdraw</Trans>
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
