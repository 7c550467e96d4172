import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAtomValue, useSetAtom } from "jotai";
import { Suspense } from "react";
import type { Link } from "../../../shared/api/links.ts";
import { failureText } from "../../calls/failure-text.ts";
import { STUDIES } from "../../calls/query-keys.ts";
import { Button } from "../../ui/button.tsx";
import { LinkIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { whenText } from "../../ui/text/when-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { openAtom } from "../places/views.ts";
import { sharedSubject } from "../sharing/share-state.ts";
import { useActiveLinks } from "../sharing/use-links.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { HomeIcon, HomePanel, HomeRow } from "./home-panel.tsx";

const ShareDialog = lazyChunk(async () => ({
  default: (await import("../sharing/share-dialog.tsx")).ShareDialog,
}));

const LINKS_SHOWN = 3;

/** A step of the history of the share dialog, which a reload opens again. */
const shareOpenAtom = openAtom("share");

/** The links that still open something, the newest first; nothing where there are none. */
export function LinksPanel() {
  const query = useActiveLinks();
  const isShareOpen = useAtomValue(shareOpenAtom);
  const see = useSeeLink();
  return (
    <>
      {query.data?.length !== 0 && (
        <HomePanel title={<Trans id="home.links">Active links</Trans>} query={query}>
          {(links) => (
            <ul>
              {links.slice(0, LINKS_SHOWN).map((link) => (
                <li key={link.id}>
                  <LinkRow link={link} onSee={() => see(link)} />
                </li>
              ))}
            </ul>
          )}
        </HomePanel>
      )}
      {isShareOpen && (
        <Suspense>
          <ShareDialog />
        </Suspense>
      )}
    </>
  );
}

function LinkRow({ link, onSee }: { link: Link; onSee: () => void }) {
  const { i18n, t } = useLingui();
  const until = dayText(link.expiresAt);
  const name = link.recipient ?? t({ id: "link.nobody", message: "Link without a name" });
  const when = link.lastOpenedAt && whenText(i18n, link.lastOpenedAt);
  return (
    <HomeRow
      lead={<HomeIcon icon={LinkIcon} tone="accent" />}
      title={name}
      actions={
        <Button
          size="small"
          aria-label={t({ id: "home.links.seeOf", message: `View the link: ${name}` })}
          onClick={onSee}
        >
          <Trans id="visit.see">View</Trans>
        </Button>
      }
    >
      {when ? (
        <Trans id="home.links.opened">
          opened {when} · until {until}
        </Trans>
      ) : (
        <Trans id="home.links.unopened">nobody opened it · until {until}</Trans>
      )}
    </HomeRow>
  );
}

/**
 * Opens the share dialog of a link's first exam, which lists the link. An exam that is read late opens nothing over another view, nor
 * over the link that was pressed last.
 */
function useSeeLink(): (link: Link) => void {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const share = useSetAtom(sharedSubject.valueAtom);
  const reading = useMutation({
    mutationFn: (id: string) =>
      queryClient.fetchQuery({
        queryKey: [STUDIES, "one", id],
        queryFn: ({ signal }) => studiesApi.read(id, signal),
      }),
  });
  return ({ studyIds: [studyId] }) => {
    if (studyId === undefined) return;
    // Told of the last press alone, and only while the panel stands.
    reading.mutate(studyId, {
      onSuccess: (study) => share(study),
      onError: (error) =>
        showToast({
          tone: "bad",
          title: t({ id: "request.refuse.unread", message: "The exam could not be read" }),
          text: failureText(error),
        }),
    });
  };
}
