import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { StudyFilm } from "../../../src/client/features/study-list/show-images/study-film.tsx";
import { act, cleanup, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, renderView } from "../../support/client/render-view.tsx";

withDom();

/** A browser in which no element is visible until it is scrolled to. */
let scrollIntoView: () => void = () => {};
const urls = { made: [] as string[], revoked: [] as string[] };
const { createObjectURL, revokeObjectURL } = URL;

beforeEach(() => {
  window.IntersectionObserver = class {
    constructor(callback: IntersectionObserverCallback) {
      scrollIntoView = () => callback([{ isIntersecting: true } as IntersectionObserverEntry], this as never);
    }
    observe() {}
    disconnect() {}
  } as never;
  globalThis.IntersectionObserver = window.IntersectionObserver;
  urls.made = [];
  urls.revoked = [];
  URL.createObjectURL = () => {
    const url = `blob:picture-${urls.made.length + 1}`;
    urls.made.push(url);
    return url;
  };
  URL.revokeObjectURL = (url) => void urls.revoked.push(url);
});
afterEach(() => {
  URL.createObjectURL = createObjectURL;
  URL.revokeObjectURL = revokeObjectURL;
});

const study = { id: "s1", storageStatus: "b2", imagesReceived: 12 } as const;
const THUMBNAIL = "GET /api/studies/s1/thumbnail";
const picture = () => new Response("a picture", { headers: { "Content-Type": "image/webp" } });
const shown = () => document.querySelector(".film img")?.getAttribute("src");

test("a film shows its study's picture once it is scrolled to, and frees its memory after it is removed", async () => {
  const calls = answerCalls({ [THUMBNAIL]: picture });
  await renderView(<StudyFilm study={study} />);
  expect(calls).toEqual([]);
  await act(async () => scrollIntoView());
  await waitFor(() => expect(shown()).toBe("blob:picture-1"));
  expect(calls).toEqual([THUMBNAIL]);
  jest.useFakeTimers();
  try {
    cleanup();
    // An image whose loading has yet to begin still finds its bytes.
    expect(urls.revoked).toEqual([]);
    jest.advanceTimersByTime(10_000);
    expect(urls.revoked).toEqual(urls.made);
    expect(urls.made).toEqual(["blob:picture-1"]);
  } finally {
    jest.useRealTimers();
  }
});

test("a film is black while its study is being transferred to the archive", async () => {
  const calls = answerCalls({});
  await renderView(<StudyFilm study={{ ...study, storageStatus: "transferring" }} />);
  await act(async () => scrollIntoView());
  await waitFor(() => expect(document.querySelector(".film")).toBeTruthy());
  expect(calls).toEqual([]);
});

test("a picture that is not drawn yet is shown as soon as it exists", async () => {
  let asked = 0;
  const answer = () => (++asked === 1 ? new Response(null, { status: 204 }) : picture());
  answerCalls({ [THUMBNAIL]: answer });
  await renderView(<StudyFilm study={study} />);
  await act(async () => scrollIntoView());
  await waitFor(() => expect(shown()).toBe("blob:picture-1"));
  expect(asked).toBe(2);
});
