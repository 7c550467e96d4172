import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AccessToken } from "../../../shared/api/access-tokens.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { refreshAccessTokens, tokensApi } from "./tokens-api.ts";

/** Asks before a token ends. */
export function EndTokenDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const { id, name } = token;
  const ending = useMutation({
    mutationFn: () => tokensApi.end(id),
    onSuccess: () => showToast({ tone: "ok", title: t({ id: "tokens.ended", message: "Token ended" }) }),
    onError: (error) => {
      const title = t({ id: "tokens.endFailed", message: "The token was not ended" });
      showToast({ tone: "bad", title, text: error.message });
    },
    onSettled: async () => {
      await refreshAccessTokens(queryClient);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !ending.isPending) onClose();
      }}
      title={t({ id: "tokens.endTitle", message: `End the token "${name}"?` })}
      text={<Trans id="tokens.endText">The program that uses it loses access at once.</Trans>}
      confirmLabel={<Trans id="tokens.endConfirm">End token</Trans>}
      busy={ending.isPending}
      onConfirm={() => ending.mutate()}
    />
  );
}
