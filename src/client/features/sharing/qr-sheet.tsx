import type { ReactNode } from "react";
import { useHis } from "../session/his-context.ts";

interface QrSheetProps {
  title: ReactNode;
  qrCode: string;
  url: string;
  /** What to do with the code. */
  how: ReactNode;
  /** What it opens, and until when. */
  children: ReactNode;
  /** Below the address. */
  foot?: ReactNode;
}

/** A code on a sheet of paper, to be handed over; for print alone. */
export function QrSheet({ title, qrCode, url, how, children, foot }: QrSheetProps) {
  const { productName } = useHis();
  return (
    <section className="qr-sheet" aria-hidden="true">
      <p>{productName}</p>
      <h1>{title}</h1>
      {children}
      <img src={qrCode} alt="" />
      <p>{how}</p>
      <p className="mono">{url}</p>
      {foot}
    </section>
  );
}
