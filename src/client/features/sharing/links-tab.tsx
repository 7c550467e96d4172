import { Trans } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { focusFirstField } from "../../ui/hooks/first-field.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { PlusIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { LinkForm } from "./link-form.tsx";
import { LinkList } from "./link-list.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { useLinks } from "./use-links.ts";

interface LinksTabProps {
  study: Study;
  /** For whom a new link is asked for; without it, the links that were opened come first. */
  recipient?: string | undefined;
  onReady: (link: ReadyLink) => void;
}

/** A new link; first the links there are, if somebody has opened one that still works. */
export function LinksTab({ study, recipient, onReady }: LinksTabProps) {
  const query = useLinks(study.id);
  const { data: links, refetch } = query;
  const error = useFailure(query);
  const [isNew, setNew] = useState(recipient !== undefined);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that asked for the form has gone.
    if (isNew && form.current) focusFirstField(form.current);
  }, [isNew]);
  const isWatched = links?.some(({ state, openings }) => state === "active" && openings > 0);
  // Stays as it was at first: a form that takes the place of a list would move what is being pressed.
  const [isListFirst, setListFirst] = useState<boolean>();
  if (isListFirst === undefined && isWatched !== undefined) setListFirst(isWatched);
  return (
    <div className="links" ref={form}>
      {(!isListFirst || isNew) && <LinkForm study={study} recipient={recipient} onReady={onReady} />}
      {links && links.length > 0 && (
        <section className="link-list">
          <div className="link-list-head">
            <h3>
              <Trans id="link.list">Links</Trans>
            </h3>
            {isListFirst && !isNew && (
              <Button size="small" onClick={() => setNew(true)}>
                <PlusIcon small />
                <Trans id="link.new">New link</Trans>
              </Button>
            )}
          </div>
          <LinkList links={links} />
        </section>
      )}
      {!links && error && (
        <LoadError
          title={<Trans id="link.list.failed">The links of this exam could not be loaded</Trans>}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </div>
  );
}
