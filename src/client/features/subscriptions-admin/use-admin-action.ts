import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { showToast } from "../../ui/toast.tsx";
import { useRefresh } from "./use-admin-subscriptions.ts";

interface AdminAction<Input, Answer> {
  run: (input: Input) => Promise<Answer>;
  /** The toast that reports success; `info` if another admin was first. */
  done: (answer: Answer, input: Input) => { title: string; text?: string; tone?: "info" };
  onSettled?: () => void;
}

/** Runs an admin's action, reads all data of the view again, and reports the result. */
export function useAdminAction<Input, Answer>({ run, done, onSettled }: AdminAction<Input, Answer>) {
  const { t } = useLingui();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: run,
    onSuccess: async (answer, input) => {
      await refresh();
      showToast({ tone: "ok", ...done(answer, input) });
    },
    onError: async (error) => {
      await refresh();
      const title = t({ id: "subscriptions.actionFailed", message: "It could not be done" });
      showToast({ tone: "bad", title, text: error.message });
    },
    onSettled,
  });
}
