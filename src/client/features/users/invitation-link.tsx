import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "../../ui/button.tsx";
import { writeClipboard } from "../../ui/copy-text.ts";
import { Field } from "../../ui/field.tsx";
import { CopyIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";

export interface Invitation {
  url: string;
  /** Name of the invited person. */
  name: string;
}

/** The link with which somebody sets a password, for the admin to hand over. It is shown only once. */
export function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { t } = useLingui();
  const { name, url } = invitation;
  const copy = async () => {
    if (await writeClipboard(url)) {
      showToast({ tone: "ok", title: t({ id: "users.invitation.copied", message: "Link copied" }) });
      return;
    }
    const title = t({ id: "users.invitation.copyFailed", message: "The link could not be copied" });
    showToast({ tone: "bad", title });
  };
  return (
    <div className="user-form">
      <Field
        label={<Trans id="users.invitation.label">Invitation for {name}</Trans>}
        hint={
          <Trans id="users.invitation.hint">
            No mail server is set up, so hand over this link yourself. It is valid for 7 days, works only once
            and will not be shown again.
          </Trans>
        }
      >
        {(tied) => (
          <input
            className="input mono"
            readOnly
            value={url}
            onFocus={({ target }) => target.select()}
            {...tied}
          />
        )}
      </Field>
      <div className="dialog-actions">
        <Button onClick={onClose}>
          <Trans id="action.close">Close</Trans>
        </Button>
        <Button kind="lit" onClick={() => void copy()}>
          <CopyIcon small />
          <Trans id="users.invitation.copy">Copy link</Trans>
        </Button>
      </div>
    </div>
  );
}
