import { type RefObject, useEffect, useRef } from "react";
import { pageNonce } from "../../runtime/page-nonce.ts";
import { reportHtml } from "./report-html.ts";

interface ReportPageProps {
  /** As the server makes it of a structured report, without styles. */
  html: string;
  title: string;
}

/**
 * The page of a structured report on paper, in a frame where nothing runs: no script is allowed, and its own policy lets it load
 * nothing. It keeps our origin, so that this page may see how long it is and hear its keys.
 */
export function ReportPage({ html, title }: ReportPageProps) {
  const desk = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const onLoad = useFrameOf(frame, desk);
  return (
    <section
      ref={desk}
      className="document-report"
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-same-origin"
        srcDoc={reportHtml(html, pageNonce())}
        onLoad={onLoad}
      />
    </section>
  );
}

/** Makes the frame as long as its page, so that the desk scrolls, and hears keys and links, since nothing in the frame does. */
function useFrameOf(
  frame: RefObject<HTMLIFrameElement | null>,
  desk: RefObject<HTMLElement | null>,
): () => void {
  const watching = useRef<ResizeObserver>(undefined);
  useEffect(() => () => watching.current?.disconnect(), []);
  return () => {
    const { current: element } = frame;
    const page = element?.contentDocument;
    if (!element || !page) return;
    watching.current?.disconnect();
    watching.current = new ResizeObserver(() => {
      element.style.height = `${Math.ceil(page.body.getBoundingClientRect().height)}px`;
    });
    watching.current.observe(page.body);
    if (!isHeard(page)) {
      for (const link of page.querySelectorAll("a")) link.removeAttribute("href");
      return;
    }
    page.addEventListener("keydown", (event) => {
      // Told of the key at the last link, the sheet goes on to its buttons.
      if (event.key === "Tab" && isBeforeLink(page)) return;
      if (desk.current && !desk.current.dispatchEvent(new KeyboardEvent("keydown", keyOf(event))))
        event.preventDefault();
    });
    const follow = (event: Event) => {
      const link = (event.target as Element | null)?.closest("a");
      if (!link) return;
      // The address of such a page is that of the page around it, which would be loaded here, or in a tab of its own.
      event.preventDefault();
      if (event.type === "click") page.getElementById(link.hash.slice(1))?.scrollIntoView();
    };
    page.addEventListener("click", follow);
    page.addEventListener("auxclick", follow);
  };
}

/** Whether a link has the focus, and another one comes after it. */
function isBeforeLink(page: Document): boolean {
  const links: (Element | null)[] = [...page.links];
  const at = links.indexOf(page.activeElement);
  return at >= 0 && at < links.length - 1;
}

/** WebKit calls no listener in a frame without scripts: a link would load the page around it there. */
function isHeard(page: Document): boolean {
  page.addEventListener("hear", (event) => event.preventDefault(), { once: true });
  return !page.dispatchEvent(new Event("hear", { cancelable: true }));
}

function keyOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): KeyboardEventInit {
  return { key, code, altKey, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true };
}
