import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { AccessToken } from "../../../shared/api/access-tokens.ts";
import { EndDialog } from "../../ui/end-dialog.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { refreshAccessTokens, tokensApi } from "./tokens-api.ts";

/** Asks before a token ends. */
export function EndTokenDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const { id, name } = token;
  return (
    <EndDialog
      title={t({ id: "tokens.endTitle", message: `Revoke the token “${name}”?` })}
      text={<Trans id="tokens.endText">The program that uses it loses access at once.</Trans>}
      confirmLabel={<Trans id="tokens.endConfirm">Revoke token</Trans>}
      endedText={t({ id: "tokens.ended", message: "Token revoked" })}
      failedText={t({ id: "tokens.endFailed", message: "The token was not revoked" })}
      end={() => tokensApi.end(id)}
      refresh={() => refreshAccessTokens(queryClient)}
      onClose={onClose}
      onEnded={close}
    />
  );
}
