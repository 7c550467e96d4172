import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Notification } from "../../../shared/api/notifications.ts";
import { ApiError } from "../../calls/api.ts";
import { showToast } from "../../ui/toast.tsx";
import { awaitHereAtom, viewAtom } from "../places/views.ts";
import { shownReportAtom } from "../reports/report-state.ts";
import { sharedStudyAtom } from "../sharing/share-state.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { isViewable } from "../studies/study-text.ts";
import { shownStudyAtom } from "../viewer/shown-study.ts";
import { useMarkRead } from "./use-notifications.ts";

/** Returns a function that opens what a notification is about, and marks it as read. */
export function useOpenNotification(): (told: Notification) => void {
  const { t } = useLingui();
  const setView = useSetAtom(viewAtom);
  const showStudy = useSetAtom(shownStudyAtom);
  const showReport = useSetAtom(shownReportAtom);
  const showSharing = useSetAtom(sharedStudyAtom);
  const markRead = useMarkRead();
  const begin = useSetAtom(awaitHereAtom);

  const openStudy = async ({ event, study }: Notification): Promise<void> => {
    if (!study) return;
    const isStillHere = begin();
    try {
      const found = await studiesApi.read(study.id);
      if (!isStillHere()) return;
      if (event === "report.attached" && found.laudo) showReport(found);
      else if (leadsToSharing(event)) {
        setView("listaExames");
        showSharing(found);
      } else if (leadsToImages(event) && isViewable(found)) showStudy(found);
      else setView("listaExames");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const title = t({ id: "notifications.notOpened", message: "It could not be opened" });
      showToast({ tone: "bad", title, text: error.message });
    }
  };

  return (told) => {
    if (told.readAt === null) markRead.mutate([told.id]);
    if (told.study) void openStudy(told);
    else if (told.event === "account.waiting") setView("users");
    else setView("subscription");
  };
}

function leadsToSharing(event: Notification["event"]): boolean {
  return event === "invitation.accepted" || event === "link.opened" || event === "link.blocked";
}

function leadsToImages(event: Notification["event"]): boolean {
  return event === "study.shared" || event === "delivery.received";
}
