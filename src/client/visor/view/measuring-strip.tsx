import { Trans, useLingui } from "@lingui/react/macro";
import { Button, IconButton } from "../../ui/button.tsx";
import { TrashIcon } from "../../ui/icons.tsx";
import type { Visor } from "./use-visor.ts";
import { isMeasuring } from "./view-settings.ts";

/** Says on a phone which tool measures, and ends it. */
export function MeasuringStrip({ visor }: { visor: Visor }) {
  const { t } = useLingui();
  const { settings, measures, slice, change, removeMeasure } = visor;
  const { tool } = settings;
  if (!isMeasuring(tool)) return null;
  const hints = {
    length: <Trans id="visor.hint.length">Tap two points or drag</Trans>,
    angle: <Trans id="visor.hint.angle">Tap three points</Trans>,
    probe: <Trans id="visor.hint.probe">Tap a point</Trans>,
    region: <Trans id="visor.hint.region">Tap two corners or drag</Trans>,
  };
  return (
    <div className="visor-measuring">
      <span role="status">{hints[tool]}</span>
      {measures.some(({ sliceKey }) => sliceKey === slice?.key) && (
        <IconButton
          className="visor-icon"
          label={t({ id: "visor.keys.remove", message: "Remove the last measurement" })}
          onClick={removeMeasure}
        >
          <TrashIcon />
        </IconButton>
      )}
      <Button kind="quiet" onClick={() => change({ tool: "scroll" })}>
        <Trans id="visor.tool.done">Done</Trans>
      </Button>
    </div>
  );
}
