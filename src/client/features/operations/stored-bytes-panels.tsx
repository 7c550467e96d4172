import { Plural, Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Operations } from "../../../shared/api/operations.ts";
import { CircleAlertIcon, CircleCheckIcon } from "../../ui/entry-icons.tsx";
import { ShieldAlertIcon } from "../../ui/icons.tsx";
import { HomeIcon, HomePanel, HomeRow } from "../home/home-panel.tsx";
import type { useOperations } from "./use-operations.ts";
import { ViewLink } from "./view-link.tsx";

type Query = ReturnType<typeof useOperations>;

/** Studies that are not in the archive store, because the transfer failed. */
export function TransferPanel({ query }: { query: Query }) {
  const failed = query.data?.studies.failedTransfers;
  return (
    <HomePanel
      title={<Trans id="home.transfers">Failed transfers</Trans>}
      count={failed}
      link={
        <ViewLink view="listaExames">
          <Trans id="menu.exams">Exams</Trans>
        </ViewLink>
      }
      query={query}
    >
      {({ studies: { failedTransfers } }) =>
        failedTransfers === 0 ? (
          <HomeRow
            lead={<HomeIcon icon={CircleCheckIcon} tone="ok" />}
            title={<Trans id="home.transfers.none">Every exam reaches the archive store</Trans>}
          />
        ) : (
          <HomeRow
            lead={<HomeIcon icon={CircleAlertIcon} tone="bad" />}
            title={
              <Plural
                id="home.transfers.some"
                value={failedTransfers}
                one="# exam is not in the archive store"
                other="# exams are not in the archive store"
              />
            }
          >
            <Trans id="home.transfers.where">The list of exams marks them and offers another try.</Trans>
          </HomeRow>
        )
      }
    </HomePanel>
  );
}

/** How many studies and laboratory PDFs have bytes that are not what was received. */
export function countUnsound({ studies, labExams }: Operations): number {
  return unsoundOf(studies) + unsoundOf(labExams);
}

function unsoundOf({ damaged, missing }: Operations["labExams"]): number {
  return damaged + missing;
}

/** Studies and laboratory PDFs whose bytes are not what was received. */
export function IntegrityPanel({ query }: { query: Query }) {
  return (
    <HomePanel
      title={<Trans id="home.integrity">Integrity</Trans>}
      count={query.data && countUnsound(query.data)}
      link={
        <ViewLink view="integrity">
          <Trans id="home.integrity.findings">Findings</Trans>
        </ViewLink>
      }
      query={query}
    >
      {(operations) =>
        countUnsound(operations) === 0 ? (
          <HomeRow
            lead={<HomeIcon icon={CircleCheckIcon} tone="ok" />}
            title={<Trans id="home.integrity.none">No exam is known to be damaged</Trans>}
          />
        ) : (
          <Unsound {...operations} />
        )
      }
    </HomePanel>
  );
}

function Unsound({ studies, labExams }: Operations) {
  const exams = unsoundOf(studies);
  const pdfs = unsoundOf(labExams);
  return (
    <>
      {exams > 0 && (
        <UnsoundRow>
          <Plural
            id="home.integrity.some"
            value={exams}
            one="# exam is not what was received"
            other="# exams are not what was received"
          />
        </UnsoundRow>
      )}
      {pdfs > 0 && (
        <UnsoundRow>
          <Plural
            id="home.integrity.labs"
            value={pdfs}
            one="# laboratory PDF is not what was received"
            other="# laboratory PDFs are not what was received"
          />
        </UnsoundRow>
      )}
    </>
  );
}

function UnsoundRow({ children }: { children: ReactNode }) {
  return (
    <HomeRow lead={<HomeIcon icon={ShieldAlertIcon} tone="bad" />} title={children}>
      <Trans id="home.integrity.where">
        Nothing of what changed is shown. Look at the disk or the store: it may be failing.
      </Trans>
    </HomeRow>
  );
}
