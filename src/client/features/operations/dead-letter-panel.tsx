import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon, CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { useOwnEscape } from "../../ui/hooks/use-own-escape.ts";
import { momentText } from "../../ui/text/moment-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { HomeIcon, HomePanel, HomeRow } from "../home/home-panel.tsx";
import { jobName } from "./job-names.ts";
import { groupLetters, type LetterGroup } from "./letter-groups.ts";
import { operationsApi } from "./operations-api.ts";
import { type useDeadLetters, useOperationsRefresh } from "./use-operations.ts";

/** Jobs that failed for good: an admin sends them back to work, or lets them go. */
export function DeadLetterPanel({ query }: { query: ReturnType<typeof useDeadLetters> }) {
  return (
    <HomePanel
      title={<Trans id="home.deadLetters">Failed jobs</Trans>}
      count={query.data?.length}
      query={query}
    >
      {(letters) =>
        letters.length === 0 ? (
          <HomeRow
            lead={<HomeIcon icon={CircleCheckIcon} tone="ok" />}
            title={<Trans id="home.deadLetters.none">No job waits for you</Trans>}
          />
        ) : (
          <ul>
            {groupLetters(letters).map((group) => (
              <li key={group.key}>
                <LetterRow group={group} />
              </li>
            ))}
          </ul>
        )
      }
    </HomePanel>
  );
}

function LetterRow({ group }: { group: LetterGroup }) {
  const { i18n, t } = useLingui();
  const [isAsking, setIsAsking] = useState(false);
  const dismiss = useRef<HTMLButtonElement>(null);
  const settle = useSettle(group);
  const name = i18n._(jobName(group.kind));
  const count = group.ids.length;
  const actions = (
    <>
      <Button
        size="small"
        disabled={settle.isPending}
        aria-label={t({ id: "home.retry.of", message: `Try again: ${name}` })}
        onClick={() => settle.mutate("retry")}
      >
        <Trans id="action.retry">Try again</Trans>
      </Button>
      <Button
        size="small"
        kind="quiet"
        disabled={settle.isPending}
        aria-label={t({ id: "home.dismiss.of", message: `Dismiss: ${name}` })}
        ref={dismiss}
        aria-expanded={isAsking}
        onClick={() => setIsAsking(!isAsking)}
      >
        <Trans id="home.dismiss">Dismiss</Trans>
      </Button>
    </>
  );
  return (
    <>
      <HomeRow lead={<HomeIcon icon={CircleAlertIcon} tone="bad" />} title={name} actions={actions}>
        <Plural id="home.jobs" value={count} one="# job" other="# jobs" />
        {" · "}
        <code>{group.errorClass}</code>
        {" · "}
        <time dateTime={group.diedAt}>{momentText(group.diedAt)}</time>
      </HomeRow>
      {isAsking && (
        <DismissQuestion
          count={count}
          isPending={settle.isPending}
          onKeep={() => {
            setIsAsking(false);
            dismiss.current?.focus();
          }}
          onDismiss={() => settle.mutate("dismiss")}
        />
      )}
    </>
  );
}

interface DismissQuestionProps {
  count: number;
  isPending: boolean;
  onKeep: () => void;
  onDismiss: () => void;
}

/** Asks in the row itself. The harmless answer has the focus. */
function DismissQuestion({ count, isPending, onKeep, onDismiss }: DismissQuestionProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  const question = useOwnEscape<HTMLDivElement>(() => !isPending && onKeep());
  return (
    <div ref={question} className="home-question">
      <p>
        <Plural
          id="home.dismiss.question"
          value={count}
          one="Dismiss this job? Its work stays undone."
          other="Dismiss # jobs? Their work stays undone."
        />
      </p>
      <div className="home-row-actions">
        <Button size="small" ref={keep} onClick={onKeep}>
          <Trans id="home.keep">Keep</Trans>
        </Button>
        <Button size="small" kind="destroy" disabled={isPending} onClick={onDismiss}>
          <Trans id="home.dismiss">Dismiss</Trans>
        </Button>
      </div>
    </div>
  );
}

interface Settled {
  how: "retry" | "dismiss";
  /** 0 if another admin was first. */
  done: number;
  stuck: number;
}

function useSettle({ ids }: LetterGroup) {
  const { t } = useLingui();
  const refresh = useOperationsRefresh();
  return useMutation({
    mutationFn: async (how: "retry" | "dismiss"): Promise<Settled> => {
      if (how === "dismiss") return { how, done: (await operationsApi.dismiss(ids)).dismissed, stuck: 0 };
      const { retried, stuck } = await operationsApi.retry(ids);
      return { how, done: retried, stuck };
    },
    onSuccess: async ({ how, done, stuck }) => {
      await refresh();
      if (stuck > 0) {
        showToast({
          tone: "bad",
          title: t({ id: "home.stuck", message: "Nothing works on these jobs any more" }),
          text: t({
            id: "home.stuck.text",
            message:
              "They belong to a node that is gone. Another node took over what it could: dismiss them.",
          }),
        });
        return;
      }
      if (done === 0) {
        const title = t({ id: "home.settledBefore", message: "These jobs were settled already" });
        showToast({ tone: "info", title });
        return;
      }
      const title =
        how === "retry"
          ? t({ id: "home.retried", message: "The jobs run again" })
          : t({ id: "home.dismissed", message: "The jobs were dismissed" });
      showToast({ tone: "ok", title });
    },
    onError: async (error) => {
      await refresh();
      showToast({
        tone: "bad",
        title: t({ id: "home.notSettled", message: "It could not be done" }),
        text: error.message,
      });
    },
  });
}
