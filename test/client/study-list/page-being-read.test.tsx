import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { keepList, readKeptList } from "../../../src/client/features/study-list/pages/kept-list.ts";
import { withoutConnection } from "../../support/client/connection.ts";
import { cleanup, screen, untilGone, withDom } from "../../support/client/dom.ts";
import { type Answer, helena, problem } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, loadList, showList } from "../../support/client/study-list.tsx";

withDom();

const CLEAR = "Limpar filtros";

/** A list of 25 exams, ten a page, which answers those requests late that `isHeld` names. */
function held(isHeld: (search: URLSearchParams) => boolean) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const list: Answer = async ({ search }) => {
    if (isHeld(search)) await promise;
    const before = Number(search.get("offset"));
    const total = search.get("search") === "nada" ? 0 : 25;
    const rows = Array.from({ length: Math.max(0, Math.min(10, total - before)) }, (_, n) => ({
      ...skull,
      id: `s${before + n + 1}`,
      studyDescription: `Exame ${before + n + 1}`,
    }));
    return Response.json(rows, { headers: { "X-Total-Count": String(total) } });
  };
  return { answers: { ...listOf([]), "GET /api/studies": list }, release: () => resolve() };
}

const isBusy = () => screen.getByRole("table").getAttribute("aria-busy");
const searchField = () => screen.getByRole("searchbox", { name: "Buscar" });

describe("while a page of exams is read", () => {
  test("the rows and the words are those of the page before, which shows that it is busy", async () => {
    const { answers, release } = held((search) => search.get("offset") === "10");
    const { user } = await showList(answers);
    await screen.findByText("Exame 1");
    expect(isBusy()).toBe("false");
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    expect(screen.getByText("Exame 1")).toBeTruthy();
    expect(screen.getByText("Mostrando 1 a 10 de 25 resultados")).toBeTruthy();
    expect(isBusy()).toBe("true");
    release();
    expect(await screen.findByText("Mostrando 11 a 20 de 25 resultados")).toBeTruthy();
    expect(screen.getByText("Exame 11")).toBeTruthy();
    expect(isBusy()).toBe("false");
  });

  test("nothing is said of it: neither that no exam is kept nor that none is found", async () => {
    let isSlow = false;
    const { answers, release } = held(() => isSlow);
    const { user } = await showList(answers);
    await user.type(await screen.findByRole("searchbox", { name: "Buscar" }), "nada");
    const none = "Nenhum exame corresponde a estes filtros.";
    await screen.findByText(none);
    isSlow = true;
    await user.type(searchField(), "{Backspace>4}Exame");
    await untilGone(() => screen.queryByText(none));
    expect(isBusy()).toBe("true");
    expect(document.querySelector("[data-study]")).toBeNull();
    release();
    await screen.findByText("Exame 1");
  });

  test("a person whose filters found nothing is not told that they have no exams, and keeps the field", async () => {
    let isSlow = false;
    const { answers, release } = held(() => isSlow);
    const { user } = await showList(answers);
    await user.type(await screen.findByRole("searchbox", { name: "Buscar" }), "nada");
    await screen.findByText("Nenhum exame corresponde a estes filtros.");
    // What was read without filters is not known after a reload.
    cleanup();
    await loadList(answers, {});
    await screen.findByText("Nenhum exame corresponde a estes filtros.");
    isSlow = true;
    await user.clear(searchField());
    await untilGone(() => screen.queryByText("Nenhum exame corresponde a estes filtros."));
    expect(screen.queryByText("Nenhum exame por aqui ainda")).toBeNull();
    expect(document.activeElement).toBe(searchField());
    release();
    await screen.findByText("Exame 1");
  });

  test("that could not be read, its error alone is shown until it is there", async () => {
    let isDown = true;
    const { answers, release } = held((search) => !isDown && search.get("offset") === "10");
    const list = answers["GET /api/studies"];
    const down: Answer = (request) =>
      isDown && request.search.get("offset") === "10" ? problem(403, "x", "y") : list(request);
    const { user } = await showList({ ...answers, "GET /api/studies": down });
    await user.click(await screen.findByRole("button", { name: "Próximo" }));
    await screen.findByText("Erro ao carregar estudos");
    expect(screen.queryByText("Exame 1")).toBeNull();
    isDown = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(screen.getByText("Erro ao carregar estudos")).toBeTruthy();
    expect(screen.queryByText("Exame 1")).toBeNull();
    release();
    expect(await screen.findByText("Exame 11")).toBeTruthy();
  });
});

test("the list that was seen last does not seem to be read while it is asked for without a connection", async () => {
  const { answers } = held(() => false);
  const { user } = await showList(answers);
  await user.type(await screen.findByRole("searchbox", { name: "Buscar" }), "Exame");
  await screen.findByText("Exame 1");
  const kept = readKeptList(helena);
  cleanup();
  let answer = () => Promise.reject<Response>(new TypeError("failed to fetch"));
  const list = answers["GET /api/studies"];
  const isUnfiltered = (search: URLSearchParams) => search.get("search") === null;
  const cut: Answer = (request) => (isUnfiltered(request.search) ? answer() : list(request));
  await loadList({ ...answers, "GET /api/studies": cut }, {});
  await screen.findByText("Exame 1");
  // Signing in for this drawing dropped what the one before kept.
  if (kept) keepList(helena, kept.page);
  using _ = withoutConnection();
  await user.clear(searchField());
  await screen.findByText(/^Sem conexão\. Esta é a sua lista/);
  expect(isBusy()).toBe("false");
  const { promise, resolve } = Promise.withResolvers<Response>();
  answer = () => promise;
  await user.click(screen.getByRole("button", { name: "Atualizar" }));
  expect(isBusy()).toBe("false");
  resolve(await list({ search: new URLSearchParams({ offset: "0" }) } as Parameters<Answer>[0]));
  await untilGone(() => screen.queryByText(/^Sem conexão\./));
});

test("cleared filters show the first page, whichever page was shown before them", async () => {
  const { answers } = held(() => false);
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: "Próximo" }));
  await screen.findByText("Exame 11");
  await user.type(searchField(), "nada");
  await screen.findByText("Nenhum exame corresponde a estes filtros.");
  const [clear] = screen.getAllByRole("button", { name: CLEAR });
  await user.click(clear as HTMLElement);
  expect((await screen.findByText(/^Mostrando/)).textContent).toBe("Mostrando 1 a 10 de 25 resultados");
});
