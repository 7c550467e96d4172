import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { StudyAlarm, StudyCheck } from "../../../src/client/features/study-list/open-study/study-check.tsx";
import type { Study } from "../../../src/shared/api/studies.ts";
import { cleanup, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

const verified: Study = {
  ...skull,
  imagesReceived: 296,
  integrity: "ok",
  verifiedAt: "2026-11-20T12:00:00.000Z",
  ownerName: null,
};
const damaged: Study = { ...verified, integrity: "damaged" };

test("an open exam says when its bytes were last compared", async () => {
  await renderView(<StudyCheck study={verified} />);
  expect(screen.getByText(/Verificado em 20-11-2026/).textContent).toContain(
    "296 imagens, nenhuma alteração",
  );
});

test("an exam that was not read since it arrived claims nothing", async () => {
  await renderView(<StudyCheck study={{ ...verified, integrity: "unchecked", verifiedAt: null }} />);
  expect(screen.queryByText(/Verificado/)).toBeNull();
  expect(screen.getByText(/Recebido em 14-11-2026/).textContent).toContain("296 imagens");
});

test("an open exam offers its receipt and its history, a damaged one does not", async () => {
  await renderView(<StudyCheck study={verified} />);
  expect(screen.getByRole("button", { name: "Baixar recibo" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Histórico" })).toBeTruthy();
  cleanup();
  await renderView(<StudyCheck study={damaged} />);
  expect(screen.queryByRole("button", { name: "Baixar recibo" })).toBeNull();
});

test("a damaged exam says what to do and leads its owner there", async () => {
  await renderView(<StudyCheck study={damaged} />);
  expect(screen.getByText(/Envie de novo o arquivo original/)).toBeTruthy();
  await userEvent.setup().click(screen.getByRole("button", { name: "Enviar de novo" }));
  expect(shownView()).toBe("uploadExames");
});

test("somebody else's damaged exam offers no upload", async () => {
  await renderView(<StudyCheck study={{ ...damaged, ownerName: "Clínica" }} />);
  expect(screen.queryByRole("button", { name: "Enviar de novo" })).toBeNull();
});

test("the list warns its owner of a damaged exam", async () => {
  await renderView(<StudyAlarm studies={[verified, damaged]} />);
  expect(screen.getByRole("alert").textContent).toContain("Um exame precisa de atenção");
});

test("the list warns of no sound exam and of nobody else's", async () => {
  await renderView(<StudyAlarm studies={[verified, { ...damaged, ownerName: "Clínica" }]} />);
  expect(screen.queryByRole("alert")).toBeNull();
});
