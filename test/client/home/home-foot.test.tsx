import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { HomeFoot } from "../../../src/client/features/home/home-foot.tsx";
import { screen, withDom, within } from "../../support/client/dom.ts";
import { renderView } from "../../support/client/render-view.tsx";

withDom();

test("the card about storage shows its picture, which says nothing to a screen reader, and leads to the support", async () => {
  await renderView(<HomeFoot />);
  const card = await screen.findByRole("region", { name: "Armazenamento seguro" });
  expect(card.querySelector("img")?.getAttribute("src")).toBe("/imagestorage.png");
  expect(within(card).queryByRole("img")).toBeNull();
  expect(within(card).getByRole("button", { name: "Suporte" })).toBeTruthy();
});
