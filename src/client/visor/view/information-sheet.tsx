import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode, RefObject } from "react";
import type { Visor } from "./use-visor.ts";
import { VisorSheet } from "./visor-sheet.tsx";
import { lossText, stackName, windowText } from "./visor-texts.ts";

interface InformationSheetProps {
  visor: Visor;
  children: ReactNode;
  returnTo: RefObject<Element | null>;
  onClose: () => void;
}

/** What is known of the image that is seen. */
export function InformationSheet({ visor, children, ...sheet }: InformationSheetProps) {
  const { i18n, t } = useLingui();
  const { stack, slice, shown, study } = visor;
  const mm = (value: number) => `${i18n.number(value, { maximumFractionDigits: 2 })} mm`;
  const { spacing, isAtDetector } = slice?.geometry ?? {};
  const pixel = spacing && `${mm(spacing.rows)} × ${mm(spacing.columns)}`;
  const thickness = slice?.geometry.thickness;
  const rows: [string, ReactNode, string | undefined][] = [
    [
      "study",
      <Trans key="study" id="visor.info.study">
        Exam
      </Trans>,
      study && `${study.title}, ${study.detail}`,
    ],
    [
      "series",
      <Trans key="series" id="visor.info.series">
        Series
      </Trans>,
      stack && stackName(i18n, stack),
    ],
    [
      "modality",
      <Trans key="modality" id="visor.info.modality">
        Modality
      </Trans>,
      stack?.series.modality,
    ],
    [
      "size",
      <Trans key="size" id="visor.info.size">
        Size
      </Trans>,
      shown && `${shown.picture.frame.columns} × ${shown.picture.frame.rows}`,
    ],
    [
      "spacing",
      <Trans key="spacing" id="visor.info.spacing">
        Pixel spacing
      </Trans>,
      pixel && isAtDetector
        ? t({ id: "visor.info.atReceptor", message: `${pixel}, at the receptor` })
        : pixel,
    ],
    [
      "thickness",
      <Trans key="thickness" id="visor.info.thickness">
        Slice thickness
      </Trans>,
      thickness ? mm(thickness) : undefined,
    ],
    [
      "window",
      <Trans key="window" id="visor.info.window">
        Window
      </Trans>,
      shown?.window && windowText(i18n, shown.window),
    ],
    [
      "compression",
      <Trans key="compression" id="visor.info.compression">
        Compression
      </Trans>,
      slice && lossText(i18n, slice.metadata),
    ],
    ["instance", "SOP Instance UID", slice?.sopInstanceUID],
  ];
  return (
    <VisorSheet title={<Trans id="visor.information">Information</Trans>} {...sheet}>
      <dl className="visor-facts">
        {rows.map(([key, name, value]) =>
          value ? (
            <div key={key}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {children}
    </VisorSheet>
  );
}
