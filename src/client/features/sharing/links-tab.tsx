import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { LinkForm } from "./link-form.tsx";
import { LinkList } from "./link-list.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { useLinks } from "./use-links.ts";

/** A new link; first the links there are, if somebody has opened one that still works. */
export function LinksTab({ study, onReady }: { study: Study; onReady: (link: ReadyLink) => void }) {
  const { data = [] } = useLinks(study.id);
  const [isNew, setNew] = useState(false);
  const isWatched = data.some(({ state, openings }) => state === "active" && openings > 0);
  const list = data.length > 0 && (
    <section className="link-list">
      <div className="link-list-head">
        <h3>
          <Trans id="link.list">Links</Trans>
        </h3>
        {isWatched && !isNew && (
          <Button size="small" onClick={() => setNew(true)}>
            <Trans id="link.new">New link</Trans>
          </Button>
        )}
      </div>
      <LinkList links={data} />
    </section>
  );
  return (
    <div className="links">
      {(!isWatched || isNew) && <LinkForm study={study} onReady={onReady} />}
      {list}
    </div>
  );
}
