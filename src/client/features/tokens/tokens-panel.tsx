import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useState } from "react";
import type { AccessToken, MadeAccessToken } from "../../../shared/api/access-tokens.ts";
import { DAY_MS } from "../../../shared/units.ts";
import { Button } from "../../ui/button.tsx";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { removableRow } from "../../ui/hooks/use-focus-return.ts";
import { useServerNow } from "../../ui/hooks/use-now.ts";
import { useOpener } from "../../ui/hooks/use-opener.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { SectionHead } from "../../ui/section-head.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { dialogIdAtom } from "../places/views.ts";
import { EndTokenDialog } from "./end-token-dialog.tsx";
import { MadeTokenDialog } from "./made-token-dialog.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { RenewTokenDialog } from "./renew-token-dialog.tsx";
import { scopesText } from "./token-uses.ts";
import { useAccessTokens } from "./tokens-api.ts";

/** `new`, or the id of the token to end; a step of the history. */
const askedAtom = dialogIdAtom("tokens");
const NEW = "new";
/** The id of the token to renew. */
const renewedAtom = dialogIdAtom("renew-token");
const SOON_MS = 7 * DAY_MS;

/** Tokens with which programs read or send exams for the account. */
export function TokensPanel() {
  const query = useAccessTokens();
  const { data: tokens, refetch } = query;
  const error = useFailure(query);
  const [asked, setAsked] = useAtom(askedAtom);
  const [made, setMade] = useState<MadeAccessToken>();
  const [renewed, setRenewed] = useAtom(renewedAtom);
  const opener = useOpener(asked !== undefined || renewed !== undefined);
  const renewing = tokens?.find(({ id }) => id === renewed);
  const ending = tokens?.find(({ id }) => id === asked);
  return (
    <section className="access" aria-labelledby="tokens-title">
      <SectionHead
        id="tokens-title"
        title={<Trans id="tokens.title">Tokens for programs</Trans>}
        lead={<Trans id="tokens.text">Let a program read or upload exams in your name.</Trans>}
        add={{ label: <Trans id="tokens.new">New token</Trans>, run: () => setAsked(NEW) }}
      />
      {error && (
        <LoadError
          title={<Trans id="tokens.loadFailed">Error loading your tokens</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {!tokens && !error && <Skeleton shape="control" />}
      {tokens && tokens.length > 0 && (
        <div className="panel security-parts">
          {tokens.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              onRenew={isRenewed(token, tokens) ? undefined : () => setRenewed(token.id)}
              onEnd={() => setAsked(token.id)}
            />
          ))}
        </div>
      )}
      {asked === NEW && !made && <NewTokenDialog onClose={() => setAsked(undefined)} onMade={setMade} />}
      {renewing && !made && (
        <RenewTokenDialog token={renewing} onClose={() => setRenewed(undefined)} onMade={setMade} />
      )}
      {ending && <EndTokenDialog token={ending} onClose={() => setAsked(undefined)} />}
      {made && (
        <MadeTokenDialog
          made={made}
          returnTo={opener}
          onClose={() => {
            setMade(undefined);
            if (renewed !== undefined) setRenewed(undefined);
            else setAsked(undefined);
          }}
        />
      )}
    </section>
  );
}

/** Whether another token of this name, which may do the same, lives longer. */
function isRenewed({ name, scopes, expiresAt }: AccessToken, tokens: AccessToken[]): boolean {
  const endOf = (at: string | null) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  return tokens.some(
    (other) =>
      other.name === name &&
      scopes.every((scope) => other.scopes.includes(scope)) &&
      endOf(other.expiresAt) > endOf(expiresAt),
  );
}

interface TokenRowProps {
  token: AccessToken;
  /** Undefined for a token that was renewed. */
  onRenew: (() => void) | undefined;
  onEnd: () => void;
}

function TokenRow({ token, onRenew, onEnd }: TokenRowProps) {
  const { t, i18n } = useLingui();
  const now = useServerNow(60_000);
  const { name, scopes, expiresAt, lastUsedAt } = token;
  const isSoon = expiresAt !== null && Date.parse(expiresAt) - now < SOON_MS;
  return (
    <div className="security-part token" {...removableRow}>
      <span className={`security-icon ${isSoon ? "is-warn" : "is-accent"}`}>
        <KeyIcon />
      </span>
      <div className="security-said">
        <h3>{name}</h3>
        <p>
          {scopesText(i18n, scopes)}
          {" · "}
          <Expiry expiresAt={expiresAt} now={now} />
          {" · "}
          <LastUse lastUsedAt={lastUsedAt} />
        </p>
      </div>
      <div className="security-actions">
        <Button
          kind="quiet"
          aria-label={t({ id: "tokens.endNamed", message: `Revoke the token ${name}` })}
          onClick={onEnd}
        >
          <Trans id="tokens.end">Revoke</Trans>
        </Button>
        {isSoon && onRenew && (
          <Button
            aria-label={t({ id: "tokens.renewNamed", message: `Renew the token ${name}` })}
            onClick={onRenew}
          >
            <Trans id="tokens.renew">Renew</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

function Expiry({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  if (expiresAt === null) return <Trans id="tokens.forever">does not expire</Trans>;
  const day = dayText(expiresAt);
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0)
    return (
      <span className="is-low">
        <Trans id="tokens.expired">expired on {day}</Trans>
      </span>
    );
  if (leftMs >= SOON_MS) return <Trans id="tokens.expires">expires on {day}</Trans>;
  const days = Math.ceil(leftMs / DAY_MS);
  return (
    <span className="is-low">
      <Plural id="tokens.expiresSoon" value={days} one="expires in # day" other="expires in # days" />
    </span>
  );
}

function LastUse({ lastUsedAt }: { lastUsedAt: string | null }) {
  if (lastUsedAt === null) return <Trans id="tokens.unused">not used yet</Trans>;
  const day = dayText(lastUsedAt);
  return <Trans id="tokens.used">last used on {day}</Trans>;
}
