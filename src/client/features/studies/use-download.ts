import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { ApiError } from "../../calls/api.ts";
import { refreshExams } from "../../calls/query-keys.ts";
import { startBrowserDownload } from "../../runtime/start-browser-download.ts";
import { showToast } from "../../ui/toast.tsx";
import { markBusyAtom } from "./busy-studies.ts";
import { isStudyGone } from "./is-study-gone.ts";
import { studiesApi } from "./studies-api.ts";

/** Has the browser itself download a study, so that it can show progress and resume. */
export function useDownload(): (study: Study, as?: "pdi") => Promise<void> {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const markBusy = useSetAtom(markBusyAtom);

  return async ({ id }, as) => {
    markBusy({ id, busy: true });
    try {
      const ticket = await studiesApi.downloadTicket(id);
      const url = as ? `${ticket.url}?as=${as}` : ticket.url;
      const fileName = as ? ticket.fileName.replace(/_HIS\.zip$/, "_PDI.zip") : ticket.fileName;
      startBrowserDownload(url, fileName);
      showToast({
        tone: "ok",
        title: t({ id: "download.done", message: "Download complete" }),
        text: t({ id: "download.handedOver", message: `Your browser is saving ${fileName}.` }),
      });
      await refreshExams(queryClient);
    } catch (error) {
      showToast({
        tone: "bad",
        title: t({ id: "download.error", message: "Download error" }),
        text:
          error instanceof ApiError && error.code !== "unknown"
            ? error.message
            : t({ id: "download.failed", message: "The download failed" }),
      });
      if (!(error instanceof ApiError)) throw error;
      if (isStudyGone(error)) await refreshExams(queryClient);
    } finally {
      markBusy({ id, busy: false });
    }
  };
}
