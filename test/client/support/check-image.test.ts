import { expect, test } from "bun:test";
import { checkImage } from "../../../src/client/features/support/check-image.ts";

test("an image that is gone by the time it is read says so", async () => {
  const file = new File(["png"], "tela.png");
  const gone = new Blob();
  gone.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotFoundError"));
  file.slice = () => gone;
  expect(await checkImage(file)).toBe("support.imageUnreadable");
});
