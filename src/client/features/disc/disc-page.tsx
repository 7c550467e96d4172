import "../../runtime/older-browsers.ts";
import { setNonce } from "get-nonce";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod/mini";
import { activateLocale } from "../../i18n.ts";
import { IslandRoot } from "../../island-root.tsx";
import { pageNonce } from "../../runtime/page-nonce.ts";
import { DiscScreen } from "./disc-screen.tsx";

/** The entry of the page that lies on a medium and opens from there, without a server. */

// The page's policy requires both, as at `boot.ts`.
const nonce = pageNonce();
if (nonce) setNonce(nonce);
z.config({ jitless: true });

const place = document.getElementById("disc");
if (place) {
  const language = navigator.languages.some((one) => one.startsWith("pt")) ? "pt-BR" : "en-US";
  void activateLocale(language).then(() => {
    const onReady = () => place.setAttribute("data-ready", "");
    createRoot(place).render(createElement(IslandRoot, { onReady }, createElement(DiscScreen)));
  });
}
