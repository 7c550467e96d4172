import { Trans } from "@lingui/react/macro";
import { QrSheet } from "./qr-sheet.tsx";
import type { ReadyLink } from "./ready-link.ts";

interface LinkSheetProps {
  link: ReadyLink;
  patient: string;
  exams: string;
  until: string;
}

/** The sheet to hand to a doctor. The passcode is not on it; there is a line to write it on. */
export function LinkSheet({ link, patient, exams, until }: LinkSheetProps) {
  return (
    <QrSheet
      title={<Trans id="visit.title">Exams of {patient}</Trans>}
      qrCode={link.qrCode}
      url={link.url}
      how={
        <Trans id="link.sheet.how">
          Point the phone camera at the code. No account and no program is needed. Not for primary diagnosis.
        </Trans>
      }
      foot={
        link.passcode && (
          <p>
            <Trans id="link.sheet.passcode">Passcode: ______________</Trans>
          </p>
        )
      }
    >
      <p>
        <Trans id="link.sheet.handed">
          Handed to the doctor: {exams}, to be seen until {until}.
        </Trans>
      </p>
    </QrSheet>
  );
}
