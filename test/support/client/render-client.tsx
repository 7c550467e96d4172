import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { getDefaultStore } from "jotai";
import { type ReactNode, useEffect } from "react";
import { activateLocale } from "../../../src/client/i18n.ts";
import { shownToastAtom, Toaster } from "../../../src/client/ui/toast.tsx";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, render } from "./dom.ts";

/** Draws client components as an island does: in a language, with the place for toasts. */
export async function renderClient(content: ReactNode, locale: Locale = "pt-BR"): Promise<void> {
  await activateLocale(locale);
  await act(async () => {
    render(
      <I18nProvider i18n={i18n}>
        {content}
        <ToasterOfPage />
      </I18nProvider>,
    );
  });
}

/** A page that closes takes its toast with it; the store of a test outlives its page. */
function ToasterOfPage() {
  useEffect(() => () => getDefaultStore().set(shownToastAtom, undefined), []);
  return <Toaster />;
}
