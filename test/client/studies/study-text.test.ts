import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { i18n } from "@lingui/core";
import { contentText, imageCountOf } from "../../../src/client/features/studies/study-text.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

test("documents among the images of an exam are counted beside them", async () => {
  await activateLocale("pt-BR");
  const study = { imagesReceived: 29, documentsReceived: 1 };
  expect(imageCountOf(study)).toBe(28);
  expect(contentText(i18n, study)).toBe("28 imagens, 1 documento");
  expect(contentText(i18n, { imagesReceived: 2, documentsReceived: 2 })).toBe("2 documentos");
  expect(contentText(i18n, { imagesReceived: 1 })).toBe("1 imagem");
  expect(contentText(i18n, { imagesReceived: 0 })).toBe("0 imagens");
});
