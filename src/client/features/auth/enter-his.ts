import { isOutage, unreachable } from "../../api.ts";
import { activateWholeLocale } from "../../i18n.ts";
import { openIsland } from "../../open-island.ts";
import { showToast } from "../../ui/toast.tsx";

const HIS = "/his";
const PAUSE_MS = 4_000;

let entering: Promise<void> | undefined;

/**
 * Shows /his in this page instead of going there, because files that a person picked live only as long as the page does. What the
 * server hands to /his is read from that page; one that is not reached is waited for.
 */
export async function enterHis(): Promise<void> {
  entering ??= enter().finally(() => {
    entering = undefined;
  });
  await entering;
}

async function enter(): Promise<void> {
  const answer = await readPatiently();
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

/** The page and, meanwhile, the messages that it needs. */
async function readPatiently(): Promise<Response> {
  for (let isTold = false; ; isTold = true) {
    try {
      const [answer] = await Promise.all([readPage(), activateWholeLocale()]);
      return answer;
    } catch (error) {
      // A script that was not reached fails as a TypeError.
      if (!(error instanceof TypeError) && !isOutage(error instanceof Error ? error : null)) throw error;
      if (!isTold) showToast({ tone: "bad", title: unreachable().message });
      await pauseOrOnline();
    }
  }
}

async function readPage(): Promise<Response> {
  const answer = await fetch(HIS);
  if (answer.status >= 500) throw unreachable();
  return answer;
}

function pauseOrOnline(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isOver = new AbortController();
  const timer = setTimeout(resolve, PAUSE_MS);
  window.addEventListener("online", () => resolve(), { signal: isOver.signal });
  return promise.finally(() => {
    clearTimeout(timer);
    isOver.abort();
  });
}
