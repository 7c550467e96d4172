import { Trans, useLingui } from "@lingui/react/macro";
import type { Window } from "../../../shared/pixels/pixel-module.ts";
import { keptPart } from "./kept-part.ts";
import type { Visor } from "./use-visor.ts";
import { presetNames } from "./visor-texts.ts";

/** The windows to choose from; keys 0 to 9 choose them too. */
export const WindowChips = keptPart(["presets", "settings", "window"], AllWindows);

function AllWindows({ visor, hasKeys }: { visor: Visor; hasKeys: boolean }) {
  const { i18n, t } = useLingui();
  const { presets, settings, window: shown, change } = visor;
  const isSeen = (window: Window) => shown?.center === window.center && shown.width === window.width;
  const isPreset = presets.some(isSeen);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not scroll sideways in every browser
    <div className="visor-chips" role="group" aria-label={t({ id: "visor.windows", message: "Window" })}>
      <button
        type="button"
        className="visor-chip"
        aria-pressed={settings.window === undefined && !isPreset}
        onClick={() => change({ window: undefined })}
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
    </div>
  );
}
