import type { ViewerTexts } from "./texts.ts";

const NOTICE_ID = "access-ended";

/** Covers the viewer once its token has lost all access, so that no stale image stays visible. */
export function showEndedNotice(texts: ViewerTexts): void {
  if (document.getElementById(NOTICE_ID)) return;
  const notice = document.createElement("div");
  notice.id = NOTICE_ID;
  notice.setAttribute("role", "alert");
  Object.assign(notice.style, {
    position: "fixed",
    inset: "0",
    zIndex: "100000",
    display: "grid",
    placeContent: "center",
    gap: "0.5rem",
    padding: "2rem",
    textAlign: "center",
    font: "16px/1.5 system-ui, sans-serif",
    color: "#f4f4f5",
    background: "#09090b",
  });
  const title = document.createElement("strong");
  title.textContent = texts.accessEnded;
  const hint = document.createElement("span");
  hint.textContent = texts.accessEndedHint;
  notice.append(title, hint);
  document.body.append(notice);
}
