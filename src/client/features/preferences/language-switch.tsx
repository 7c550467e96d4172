import { useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { locales } from "../../../shared/locale.ts";
import { languageAtom } from "../../preferences.ts";

const shortNames = { "pt-BR": "PT", "en-US": "EN" } as const;
const names = { "pt-BR": "Português", "en-US": "English" } as const;

export function LanguageSwitch() {
  const { t } = useLingui();
  const [language, setLanguage] = useAtom(languageAtom);
  return (
    <fieldset className="segment" aria-label={t({ id: "preferences.language", message: "Language" })}>
      {locales.map((locale) => (
        <button
          key={locale}
          type="button"
          lang={locale}
          title={names[locale]}
          aria-pressed={language === locale}
          onClick={() => setLanguage(locale)}
        >
          {shortNames[locale]}
        </button>
      ))}
    </fieldset>
  );
}
