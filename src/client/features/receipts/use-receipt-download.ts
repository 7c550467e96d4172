import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Study } from "../../../shared/api/studies.ts";
import { failureText } from "../../calls/failure-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { pdfName, saveFile } from "../pdf/save-file.ts";
import { dateText } from "../studies/study-text.ts";
import { receiptsApi } from "./receipts-api.ts";

/** Has the browser save the paper of a study's receipt. */
export function useReceiptDownload() {
  const { i18n, t } = useLingui();
  return useMutation({
    mutationFn: async ({ id, studyDescription, studyDate }: Study) => {
      const name = t({ id: "receipt.fileName", message: "Receipt" });
      saveFile(
        await receiptsApi.paper(id),
        pdfName(name, studyDescription, studyDate && dateText(i18n, studyDate)),
      );
    },
    onError: (error) => {
      showToast({
        tone: "bad",
        title: t({ id: "receipt.error", message: "The receipt could not be made" }),
        text: failureText(error),
      });
    },
  });
}
