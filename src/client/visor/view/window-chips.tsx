import { Trans, useLingui } from "@lingui/react/macro";
import type { Window } from "../../../shared/pixels/pixel-module.ts";
import { keptPart } from "./kept-part.ts";
import type { Visor } from "./use-visor.ts";
import { ownVoiName, presetNames } from "./visor-texts.ts";

/** The windows to choose from; keys 0 to 9 choose them too. */
export const WindowChips = keptPart(["presets", "ownVois", "settings", "window"], AllWindows);

function AllWindows({ visor, hasKeys }: { visor: Visor; hasKeys: boolean }) {
  const { i18n, t } = useLingui();
  const { presets, ownVois, settings, window: shown, change } = visor;
  // An image without the chosen one is seen as by "Auto".
  const chosen = ownVois.find(({ proposal }) => proposal === settings.proposal);
  const proposal = settings.window ? undefined : chosen?.proposal;
  const isSeen = (window: Window) =>
    proposal === undefined && shown?.center === window.center && shown.width === window.width;
  const isPreset = presets.some(isSeen);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not scroll sideways in every browser
    <div className="visor-chips" role="group" aria-label={t({ id: "visor.windows", message: "Window" })}>
      <button
        type="button"
        className="visor-chip"
        aria-pressed={settings.window === undefined && proposal === undefined && !isPreset}
        onClick={() => change({ window: undefined, proposal: undefined })}
      >
        <Trans id="visor.preset.auto">Auto</Trans>
        {hasKeys && <kbd>0</kbd>}
      </button>
      {presets.map((preset, at) => (
        <button
          type="button"
          key={preset.name}
          className="visor-chip"
          aria-pressed={isSeen(preset)}
          onClick={() => change({ window: { center: preset.center, width: preset.width } })}
        >
          {i18n._(presetNames[preset.name])}
          {hasKeys && <kbd>{at + 1}</kbd>}
        </button>
      ))}
      {ownVois.map((own, at) => (
        <button
          type="button"
          key={own.proposal}
          className="visor-chip"
          title={own.name}
          aria-pressed={proposal === own.proposal}
          onClick={() => change({ window: undefined, proposal: own.proposal })}
        >
          <span className="visor-own-voi">{ownVoiName(i18n, own)}</span>
          {hasKeys && presets.length + at < 9 && <kbd>{presets.length + at + 1}</kbd>}
        </button>
      ))}
    </div>
  );
}
