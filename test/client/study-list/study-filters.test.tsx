import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import {
  countFilters,
  filterQuery,
  noFilters,
  studyFiltersAtom,
} from "../../../src/client/features/study-list/filters/study-filters.ts";
import { act, screen, type userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import type { Answer } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

withDom();

/** Answers like the server with one study of many, and records the queries. */
function serveList(total = 25) {
  const asked: URLSearchParams[] = [];
  const answers: Record<string, Answer> = {
    ...listOf([]),
    "GET /api/studies": ({ search }) => {
      asked.push(search);
      return Response.json(total > 0 ? [{ ...skull, id: `s${asked.length}` }] : [], {
        headers: { "X-Total-Count": String(total) },
      });
    },
  };
  return { asked, answers, last: () => Object.fromEntries(asked.at(-1) ?? []) };
}

async function choose(user: ReturnType<typeof userEvent.setup>, field: string, option: string) {
  screen.getByRole("combobox", { name: field }).focus();
  await user.keyboard("{Enter}");
  await user.click(await screen.findByRole("option", { name: option }));
}

const setFilters = (filters: Partial<typeof noFilters>) =>
  act(async () => getDefaultStore().set(studyFiltersAtom, { ...noFilters, ...filters }));

describe("the filters", () => {
  test("query the server once typing has paused, and return to the first page", async () => {
    const { asked, answers, last } = serveList();
    const { user } = await showList(answers, "admin");
    await user.click(await screen.findByRole("button", { name: "Próximo" }));
    await waitFor(() => expect(last().offset).toBe("10"));
    const before = asked.length;
    await user.type(screen.getByLabelText("Nome do paciente"), " joão ");
    await waitFor(() => expect(last().patientName).toBe("joão"));
    expect(last().offset).toBe("0");
    expect(asked.length).toBe(before + 1);
  });

  test("begin with one search over patient, description, institution and modality", async () => {
    const { answers, last } = serveList();
    const { user } = await showList(answers);
    await user.type(await screen.findByRole("searchbox", { name: "Buscar" }), "crânio tc");
    await waitFor(() => expect(last().search).toBe("crânio tc"));
    expect(last().patientName).toBeUndefined();
  });

  test("offer the modalities by code and name, and send the chosen one's code", async () => {
    const { answers, last } = serveList();
    const { user } = await showList(answers);
    await choose(user, "Modalidade", "NM Mamografia Medicina nuclear");
    await waitFor(() => expect(last().modality).toBe("NM"));
  });

  test("show a name for every modality", async () => {
    const { user } = await showList(serveList().answers);
    screen.getByRole("combobox", { name: "Modalidade" }).focus();
    await user.keyboard("{Enter}");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "Todas",
      "CT Tomografia",
      "MR Ressonância",
      "US Ultrasonografia",
      "CR RaioX",
      "ES Endoscopia/Colono",
      "NM Mamografia Medicina nuclear",
      "PT PET",
    ]);
  });

  test("that are seldom needed are behind one button, which shows how many are set", async () => {
    const { answers, last } = serveList();
    const { user } = await showList(answers);
    await user.click(await screen.findByRole("button", { name: "Mais filtros" }));
    await user.type(await screen.findByLabelText("Nº de acesso"), "SC-1");
    await user.type(screen.getByLabelText("ID do paciente"), "0048");
    await waitFor(() => expect(last()).toMatchObject({ accessionNumber: "SC-1", patientID: "0048" }));
    await user.keyboard("{Escape}");
    expect(await screen.findByRole("button", { name: "Mais filtros 2" })).toBeTruthy();
  });

  test("are all cleared at once", async () => {
    const asked: URLSearchParams[] = [];
    const { user } = await showList({
      ...listOf([]),
      "GET /api/studies": ({ search }) => {
        asked.push(search);
        const studyDescription = search.has("patientName") ? "Tórax" : "Crânio";
        return Response.json([{ ...skull, studyDescription }], { headers: { "X-Total-Count": "1" } });
      },
    });
    const clear = (await screen.findByRole("button", { name: "Limpar filtros" })) as HTMLButtonElement;
    expect(clear.disabled).toBe(true);
    await setFilters({ patientName: "x", startDate: "2026-01-01", endDate: "2026-02-01" });
    await screen.findByText("Tórax");
    expect(asked.at(-1)?.get("startDate")).toBe("2026-01-01");
    expect(asked.at(-1)?.get("endDate")).toBe("2026-02-01");
    await user.click(clear);
    // The button, which is disabled by then, would lose the focus to the page's beginning.
    expect(document.activeElement?.localName).toBe("search");
    expect((screen.getByLabelText("Nome do paciente") as HTMLInputElement).value).toBe("");
    expect(await screen.findByText("Crânio")).toBeTruthy();
  });

  test("that match nothing offer to clear them instead of the first upload", async () => {
    const { answers } = serveList(0);
    answers["GET /api/studies"] = ({ search }) =>
      search.has("patientName")
        ? Response.json([], { headers: { "X-Total-Count": "0" } })
        : Response.json([skull], { headers: { "X-Total-Count": "1" } });
    await showList(answers);
    await screen.findByText("Tomografia de crânio");
    await setFilters({ patientName: "ninguém" });
    expect(await screen.findByText("Nenhum exame corresponde a estes filtros.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Enviar primeiro exame" })).toBeNull();
    expect(screen.getAllByRole("button", { name: "Limpar filtros" }).length).toBe(2);
  });

  test("say that an end before the start finds nothing", async () => {
    await showList(serveList().answers);
    await setFilters({ startDate: "2026-02-01", endDate: "2026-01-01" });
    const end = screen.getByLabelText("Data final");
    expect(end.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("É anterior à data inicial")).toBeTruthy();
  });
});

test("an incomplete date and a text of blanks filter nothing", () => {
  const filters = { ...noFilters, startDate: "12026-01-01", endDate: "2026-01", patientName: "  " };
  expect(Object.values(filterQuery(filters)).every((value) => value === undefined)).toBe(true);
  expect(countFilters(filters)).toBe(0);
});
