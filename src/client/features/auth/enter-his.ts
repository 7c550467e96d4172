import { activateWholeLocale } from "../../i18n.ts";
import { openIsland } from "../../open-island.ts";

const HIS = "/his";

/**
 * Shows /his in this page instead of going there, because files that a person picked live only as long as the page does. What the
 * server hands to /his is read from that page.
 */
export async function enterHis(): Promise<void> {
  const [answer] = await Promise.all([fetch(HIS), activateWholeLocale()]);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const props = page.querySelector<HTMLElement>("[data-island=his]")?.dataset.props;
  if (!answer.ok || props === undefined) {
    window.location.replace(HIS);
    return;
  }
  const place = document.createElement("div");
  Object.assign(place.dataset, { island: "his", props });
  history.replaceState(null, "", HIS);
  await openIsland(place);
}
