import "../../runtime/older-browsers.ts";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { activateLocale } from "../../i18n.ts";
import { IslandRoot } from "../../island-root.tsx";
import { DiscScreen } from "./disc-screen.tsx";

/** The entry of the page that lies on a medium and opens from there, without a server. */
const place = document.getElementById("disc");
if (place) {
  const language = navigator.languages.some((one) => one.startsWith("pt")) ? "pt-BR" : "en-US";
  void activateLocale(language).then(() => {
    const onReady = () => place.setAttribute("data-ready", "");
    createRoot(place).render(createElement(IslandRoot, { onReady }, createElement(DiscScreen)));
  });
}
