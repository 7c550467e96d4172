import { Trans, useLingui } from "@lingui/react/macro";
import { IconButton } from "../../ui/button.tsx";
import { nextZoom, percentOf, type Zoom } from "./page-layout.ts";
import { ZoomInIcon, ZoomOutIcon } from "./pdf-icons.tsx";

interface ZoomControlsProps {
  zoom: Zoom;
  /** The scale at which the PDF is drawn. */
  scale: number;
  onZoom: (zoom: Zoom) => void;
}

/** The zoom buttons: smaller, larger, fit width, fit page. */
export function ZoomControls({ zoom, scale, onZoom }: ZoomControlsProps) {
  const { t } = useLingui();
  return (
    <div className="pdf-zoom">
      <IconButton
        label={t({ id: "pdf.zoomOut", message: "Zoom out" })}
        onClick={() => onZoom(nextZoom(scale, -1))}
      >
        <ZoomOutIcon />
      </IconButton>
      <span className="pdf-percent">{percentOf(scale)}%</span>
      <IconButton
        label={t({ id: "pdf.zoomIn", message: "Zoom in" })}
        onClick={() => onZoom(nextZoom(scale, 1))}
      >
        <ZoomInIcon />
      </IconButton>
      <div className="segment pdf-fit">
        <button type="button" aria-pressed={zoom === "width"} onClick={() => onZoom("width")}>
          <Trans id="pdf.fitWidth">Width</Trans>
        </button>
        <button type="button" aria-pressed={zoom === "page"} onClick={() => onZoom("page")}>
          <Trans id="pdf.fitPage">Whole page</Trans>
        </button>
      </div>
    </div>
  );
}
