import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox } from "../../ui/checkbox.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { showToast } from "../../ui/toast.tsx";
import { eventName } from "./event-text.tsx";
import { useChooseMail, useMailChoices } from "./use-notifications.ts";

/** Which events the person wants a mail about. */
export function MailPanel() {
  return (
    <section className="panel mail-panel" aria-labelledby="mail-panel-title">
      <h2 id="mail-panel-title">
        <Trans id="mails.title">Messages by e-mail</Trans>
      </h2>
      <p className="field-hint">
        <Trans id="mails.hint">
          The bell shows all of them. Messages about signing in, and about exams that would be deleted, always
          come.
        </Trans>
      </p>
      <Choices />
    </section>
  );
}

function Choices() {
  const { i18n, t } = useLingui();
  const query = useMailChoices();
  const { data, refetch } = query;
  const error = useFailure(query);
  const choose = useChooseMail();
  if (error && !data) {
    return (
      <LoadError
        title={<Trans id="home.failed">We could not load this part</Trans>}
        error={error}
        onRetry={refetch}
      />
    );
  }
  if (!data) {
    return (
      <div aria-busy="true" className="grid gap-3">
        <Skeleton className="w-48" />
        <Skeleton className="w-40" />
      </div>
    );
  }
  const { variables, isPending } = choose;
  return (
    <ul className="mail-choices">
      {data.map(({ event, wanted }) => (
        <li key={event}>
          <Checkbox
            label={eventName(i18n, event)}
            checked={isPending && variables.event === event ? variables.wanted : wanted}
            disabled={isPending}
            onCheckedChange={(isWanted) =>
              choose.mutate(
                { event, wanted: isWanted },
                {
                  onError: ({ message }) =>
                    showToast({
                      tone: "bad",
                      title: t({ id: "mails.failed", message: "The choice could not be saved" }),
                      text: message,
                    }),
                },
              )
            }
          />
        </li>
      ))}
    </ul>
  );
}
