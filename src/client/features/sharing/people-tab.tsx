import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Link } from "../../../shared/api/links.ts";
import type { Grant } from "../../../shared/api/studies.ts";
import type { AuditEntry } from "../../../shared/api/study-audit.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { actingTokenText } from "../../ui/text/acting-token-text.ts";
import { momentText } from "../../ui/text/moment-text.ts";
import { useHis } from "../session/his-context.ts";
import { roleName } from "../users/user-text.ts";
import { actionText } from "./audit-text.ts";
import { DoctorForm } from "./doctor-form.tsx";
import { Failed } from "./failed.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { useLinks } from "./use-links.ts";
import { useAudit, useGrants, useRevocation } from "./use-sharing.ts";

/** Gives people with an account access to a study, takes it away, and shows who did what. */
export function PeopleTab({ studyId, onLink }: { studyId: string; onLink: (email: string) => void }) {
  return (
    <div className="sharing">
      <DoctorForm studyId={studyId} onLink={onLink} />
      <section>
        <h3>
          <Trans id="share.grants">Who has access</Trans>
        </h3>
        <Grants studyId={studyId} />
      </section>
      <OpenInvitations studyId={studyId} />
      <section>
        <h3>
          <Trans id="share.audit">Who did what</Trans>
        </h3>
        <Audit studyId={studyId} />
      </section>
    </div>
  );
}

function Grants({ studyId }: { studyId: string }) {
  const { user } = useHis();
  const query = useGrants(studyId);
  const { data } = query;
  const error = useFailure(query);
  const revocation = useRevocation(studyId);
  if (error) return <Failed text={error.message} />;
  if (!data) return <Waiting />;
  if (data.length === 0) {
    return (
      <p className="share-none">
        {user.role === "admin" ? (
          <Trans id="share.onlyOwner">Nobody but the owner.</Trans>
        ) : (
          <Trans id="share.nobody">Nobody but you.</Trans>
        )}
      </p>
    );
  }
  return (
    <ul className="share-list">
      {data.map((grant) => (
        <GrantItem
          key={grant.userId}
          grant={grant}
          isBusy={revocation.isPending && revocation.variables === grant.userId}
          onRevoke={() => revocation.mutate(grant.userId)}
        />
      ))}
    </ul>
  );
}

function GrantItem({ grant, isBusy, onRevoke }: { grant: Grant; isBusy: boolean; onRevoke: () => void }) {
  const { i18n, t } = useLingui();
  const { name, email, role } = grant;
  return (
    <li>
      <Avatar person={{ name, profileImageUrl: null }} />
      <div>
        <b>{name}</b>
        <span>
          {email} · {roleName(i18n, role)}
        </span>
      </div>
      <Button
        kind="quiet"
        size="small"
        disabled={isBusy}
        aria-label={t({ id: "share.revokeOf", message: `Remove access of ${name}` })}
        onClick={onRevoke}
      >
        <Trans id="share.revoke">Remove</Trans>
      </Button>
    </li>
  );
}

function Audit({ studyId }: { studyId: string }) {
  const { i18n, t } = useLingui();
  const query = useAudit(studyId);
  const { data } = query;
  const error = useFailure(query);
  const { data: links } = useLinks(studyId);
  const linkOf = (id: string) => links?.find((link) => link.id === id);
  if (error) return <Failed text={error.message} />;
  if (!data) return <Waiting />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ol className="share-audit" tabIndex={0} aria-label={t({ id: "share.audit", message: "Who did what" })}>
      {data.map(({ at, action, address, device, token, ...actor }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be alike in all they tell
        <li key={`${at}-${place}`}>
          <span className="mono">{momentText(at)}</span>
          <span>
            <b>
              <Actor {...actor} linkOf={linkOf} />
            </b>{" "}
            {[actionText(i18n, action), actingTokenText(i18n, token)].filter(Boolean).join(", ")}
            {address && <small className="mono"> {[address, device].filter(Boolean).join(" · ")}</small>}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Visitor({ link }: { link: Pick<Link, "recipient"> | undefined }) {
  const recipient = link?.recipient;
  if (!recipient) return <Trans id="share.visitor">Visitor by link</Trans>;
  return <Trans id="share.visitorFor">Visitor by the link for {recipient}</Trans>;
}

interface ActorProps extends Pick<AuditEntry, "actorName" | "linkId" | "isDelivery" | "from"> {
  linkOf: (id: string) => Link | undefined;
}

function Actor({ actorName, linkId, isDelivery, from, linkOf }: ActorProps) {
  const name = actorName ?? from;
  if (name) return name;
  if (linkId) return <Visitor link={linkOf(linkId)} />;
  if (isDelivery) return <Trans id="share.deliverer">Someone without an account</Trans>;
  return <Trans id="share.gone">Deleted account</Trans>;
}

function Waiting(): ReactNode {
  return (
    <div aria-busy="true">
      <Skeleton className="h-4 w-56" />
    </div>
  );
}
