import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { checkImage } from "../../../src/client/features/support/check-image.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

test("an image that is gone by the time it is read says so", async () => {
  await activateLocale("en-US");
  const file = new File(["png"], "tela.png");
  const gone = new Blob();
  gone.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotFoundError"));
  file.slice = () => gone;
  expect(await checkImage(file)).toBe("The file could not be read. Choose it again");
});
