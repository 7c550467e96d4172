import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Brand } from "../../ui/brand.tsx";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";

/** The frame of a page that needs no account: no menu, only language and theme. */
export function PublicPage({ productName, children }: { productName: string; children: ReactNode }) {
  return (
    <div className="public">
      <header>
        <Brand productName={productName} />
        <div className="flex items-center gap-2">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main>{children}</main>
      <footer>
        <Trans id="public.about">{productName} keeps medical images.</Trans>{" "}
        <a className="link" href="/">
          <Trans id="public.what">What is this?</Trans>
        </a>
      </footer>
    </div>
  );
}
