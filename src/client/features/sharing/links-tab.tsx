import { Trans } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { focusFirstField } from "../../ui/first-field.ts";
import { PlusIcon } from "../../ui/icons.tsx";
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
  const { data = [] } = useLinks(study.id);
  const [isNew, setNew] = useState(recipient !== undefined);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that asked for the form has gone.
    if (isNew && form.current) focusFirstField(form.current);
  }, [isNew]);
  const isWatched = data.some(({ state, openings }) => state === "active" && openings > 0);
  const list = data.length > 0 && (
    <section className="link-list">
      <div className="link-list-head">
        <h3>
          <Trans id="link.list">Links</Trans>
        </h3>
        {isWatched && !isNew && (
          <Button size="small" onClick={() => setNew(true)}>
            <PlusIcon small />
            <Trans id="link.new">New link</Trans>
          </Button>
        )}
      </div>
      <LinkList links={data} />
    </section>
  );
  return (
    <div className="links" ref={form}>
      {(!isWatched || isNew) && <LinkForm study={study} recipient={recipient} onReady={onReady} />}
      {list}
    </div>
  );
}
