import { Plural, Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Request } from "../../../shared/api/deliveries.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useHis } from "../session/his-context.ts";
import { FreeRefusal, isFreeToRefuse } from "../study-list/actions/free-refusal.tsx";
import { StudyQuote } from "../study-list/actions/study-quote.tsx";
import { CountedActions, NamedExams, useActionsLeft } from "../study-list/bulk/bulk-parts.tsx";
import { studyIdsOf, useNamedStudies, useRefuse } from "./use-requests.ts";

interface RefuseDialogProps extends Pick<Request, "deliveries"> {
  onClose: () => void;
}

/** Asks before what a request brought is deleted: which exams, and what that costs. */
export function RefuseDialog({ deliveries, onClose }: RefuseDialogProps) {
  const refusing = useRefuse();
  const studyIds = studyIdsOf(deliveries);
  const named = useNamedStudies(studyIds);
  const cost = useRefusalCost(deliveries);
  const from = deliveries.find(({ receivedAt }) => receivedAt !== null)?.from ?? "";
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !refusing.isPending) onClose();
      }}
      title={
        <Plural
          id="request.refuse.title"
          value={studyIds.length}
          one="Refuse this exam?"
          other="Refuse these # exams?"
        />
      }
      text={
        <Trans id="request.refuse.text">
          The images that {from} delivered are deleted from your account. This action cannot be undone.
        </Trans>
      }
      confirmLabel={
        refusing.isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="request.refuse">Refuse and delete</Trans>
        )
      }
      busy={refusing.isPending}
      isReady={named.data !== undefined && cost.isPayable}
      onConfirm={() => refusing.mutate(studyIds, { onSettled: onClose })}
    >
      <RefusedExams named={named} count={studyIds.length} />
      {cost.text}
    </ConfirmDialog>
  );
}

interface RefusedExamsProps {
  named: ReturnType<typeof useNamedStudies>;
  count: number;
}

function RefusedExams({ named, count }: RefusedExamsProps) {
  const { data: studies, refetch } = named;
  const error = useFailure(named);
  if (studies) {
    const [only] = studies;
    return only && count === 1 ? <StudyQuote study={only} /> : <NamedExams studies={studies} count={count} />;
  }
  if (!error) return <Skeleton className="mt-4 h-17 w-full" />;
  return (
    <LoadError
      title={<Trans id="request.refuse.unread">The exam could not be read</Trans>}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}

/** What the deletion costs: an action for each exam that arrived too long ago. An admin's actions are not counted. */
function useRefusalCost(deliveries: Request["deliveries"]): { isPayable: boolean; text: ReactNode } {
  const isCounted = useHis().user.role !== "admin";
  const left = useActionsLeft();
  const late = deliveries.filter(({ receivedAt }) => receivedAt !== null && !isFreeToRefuse(receivedAt));
  const count = studyIdsOf(late).length;
  if (count === 0) return { isPayable: true, text: <FreeRefusal /> };
  if (!isCounted) return { isPayable: true, text: null };
  return {
    isPayable: left === undefined || left >= count,
    text: <CountedActions count={count} left={left} />,
  };
}
