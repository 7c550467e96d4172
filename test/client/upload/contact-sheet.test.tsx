import "../../support/client/dom-globals.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ContactSheet } from "../../../src/client/features/upload/contact-sheet/contact-sheet.tsx";
import { FILM_SIDE } from "../../../src/client/features/upload/contact-sheet/draw-film.ts";
import type { FilmFile } from "../../../src/client/features/upload/contact-sheet/film-files.ts";
import type {
  FilmReport,
  FilmRequest,
} from "../../../src/client/features/upload/contact-sheet/film-messages.ts";
import { act, cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

/** A worker that draws when the test says so. */
class ToldWorker {
  static asked: { worker: ToldWorker; frames: FilmFile[][] }[] = [];
  onmessage?: (event: { data: FilmReport }) => void;
  postMessage({ frames }: FilmRequest) {
    ToldWorker.asked.push({ worker: this, frames });
  }
  terminate() {}
  draw(frame: number) {
    this.onmessage?.({ data: { frame, film: new Uint8Array(FILM_SIDE ** 2) } });
  }
}

const browsers = globalThis.Worker;
beforeAll(() => {
  globalThis.Worker = ToldWorker as unknown as typeof Worker;
});
afterAll(() => {
  globalThis.Worker = browsers;
});

test("a sheet that is shown again has the pictures that were drawn before, and no file of theirs is read again", async () => {
  const films = [[{ file: new Blob(["1"]) }], [{ file: new Blob(["2"]) }], []];
  const pictures = () => document.querySelectorAll(".contact-sheet canvas").length;
  await renderClient(<ContactSheet percent={100} films={films} />);
  await act(async () => ToldWorker.asked[0]?.worker.draw(0));
  expect(pictures()).toBe(1);
  cleanup();

  await renderClient(<ContactSheet percent={100} films={films} />);
  expect(pictures()).toBe(1);
  expect(ToldWorker.asked[1]?.frames).toEqual([[], films[1] ?? [], []]);
  await act(async () => ToldWorker.asked[1]?.worker.draw(1));
  expect(pictures()).toBe(2);
  cleanup();

  await renderClient(<ContactSheet percent={100} films={films} />);
  expect(pictures()).toBe(2);
  expect(ToldWorker.asked).toHaveLength(2);
});
