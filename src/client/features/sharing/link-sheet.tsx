import { Trans } from "@lingui/react/macro";
import { useHis } from "../session/his-context.ts";
import type { ReadyLink } from "./ready-link.ts";

interface LinkSheetProps {
  link: ReadyLink;
  patient: string;
  exams: string;
  until: string;
}

/** The sheet to hand to a doctor, for print alone. The passcode is not on it; there is a line to write it on. */
export function LinkSheet({ link, patient, exams, until }: LinkSheetProps) {
  const { productName } = useHis();
  return (
    <section className="link-sheet" aria-hidden="true">
      <p>{productName}</p>
      <h1>
        <Trans id="visit.title">Exams of {patient}</Trans>
      </h1>
      <p>
        <Trans id="link.sheet.handed">
          Handed to the doctor: {exams}, to be seen until {until}.
        </Trans>
      </p>
      <img src={link.qrCode} alt="" />
      <p>
        <Trans id="link.sheet.how">
          Point the phone camera at the code. No account and no program is needed. Not for primary diagnosis.
        </Trans>
      </p>
      <p className="mono">{link.url}</p>
      {link.passcode && (
        <p>
          <Trans id="link.sheet.passcode">Passcode: ______________</Trans>
        </p>
      )}
    </section>
  );
}
