import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { lastSkippedAtom } from "../../../src/client/features/upload/notices/last-upload.ts";
import { SkippedNotice } from "../../../src/client/features/upload/notices/skipped-notice.tsx";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();

test("the list of the files left out can be scrolled by keyboard", async () => {
  const skipped = [{ name: "IM1", reason: "zip.crc" }] as const;
  await renderView(<SkippedNotice />, {
    open: (store) => store.set(lastSkippedAtom, { skipped: [...skipped], skippedCount: 1 }),
  });
  await userEvent.setup().click(screen.getByRole("button", { name: "Ver quais" }));
  const list = await screen.findByRole("list");
  expect(list.tabIndex).toBe(0);
});
