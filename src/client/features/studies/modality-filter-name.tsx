import { Trans, useLingui } from "@lingui/react/macro";
import { modalityName } from "./modality-names.ts";

/** A modality's name in a filter. The filters call NM mammography, so what it is stands beside that name. */
export function ModalityFilterName({ code }: { code: string }) {
  const { i18n } = useLingui();
  if (code !== "NM") return <span>{modalityName(i18n, code)}</span>;
  return (
    <>
      <span>
        <Trans id="his.modalityNames.NM">Mammography</Trans>
      </span>{" "}
      <small className="filter-aside">{modalityName(i18n, code)}</small>
    </>
  );
}
