import { isOutage, unreachable } from "../../calls/api.ts";
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

/** Tries until nothing on the way is missing: the page, the messages that it needs, or its code. */
async function enter(): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      const [props] = await Promise.all([readProps(), activateWholeLocale()]);
      return await show(props);
    } catch (error) {
      // A script that was not reached fails as a TypeError.
      if (!(error instanceof TypeError) && !isOutage(error instanceof Error ? error : null)) throw error;
      if (!isTold) showToast({ tone: "bad", title: unreachable().message });
      await pauseOrOnline();
    }
  }
}

/** What the server hands to /his; undefined if it answers otherwise. */
async function readProps(): Promise<string | undefined> {
  const answer = await fetch(HIS);
  if (answer.status >= 500) throw unreachable();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return answer.ok ? page.querySelector<HTMLElement>("[data-island=his]")?.dataset.props : undefined;
}

async function show(props: string | undefined): Promise<void> {
  if (props === undefined) {
    window.location.replace(HIS);
    return;
  }
  const place = document.createElement("div");
  Object.assign(place.dataset, { island: "his", props });
  await openIsland(place, HIS);
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
