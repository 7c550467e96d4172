import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { ReceiversPanel } from "../../../src/client/features/receivers/receivers-panel.tsx";
import type { Receiver } from "../../../src/shared/api/receivers.ts";
import { drawn, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

const seen = { at: "2026-11-19T12:00:00.000Z", callingAETitle: "TOMOGRAFO", address: "10.0.0.9" };
const receiver: Receiver = {
  id: "01900000-0000-7000-8000-0000000000c1",
  ...{ aeTitle: "EXAMETECA_MG", callingAETitles: ["TOMOGRAFO"], addresses: ["10.0.0.0/8"] },
  ...{ createdAt: "2026-01-20T12:00:00.000Z", instances: 297, lastReceived: seen },
  ...{ refusals: 1, lastRefused: { ...seen, callingAETitle: "ESTRANHO" }, port: 11112, tls: true },
};

async function show(answers: Record<string, Answer> = {}) {
  answerCalls({ "GET /api/receivers": () => Response.json([receiver]), ...answers });
  await renderView(<ReceiversPanel />);
  await write(() => getDefaultStore().set(viewAtom, "profile"));
  await screen.findByText("EXAMETECA_MG");
  return userEvent.setup();
}

describe("the DICOM receivers of an account", () => {
  test("say where to send, who may, what came last and who was refused", async () => {
    await show();
    const row = screen.getByText("EXAMETECA_MG").closest(".receiver")?.textContent ?? "";
    expect(row).toContain("Ativo");
    expect(row).toContain("297 imagens, por último em 19-11-2026 de TOMOGRAFO");
    expect(row).toContain(": 11112 (TLS)");
    expect(row).toContain("TOMOGRAFO, só de 10.0.0.0/8");
    expect(row).toContain("1 tentativa, por último em 19-11-2026 por ESTRANHO");
  });

  test("are made with the senders that the person names, and a title in use is said at its field", async () => {
    const sent: unknown[] = [];
    const user = await show({
      "POST /api/receivers": ({ body }) => {
        sent.push(body);
        return problem(409, "receiver.title_taken", "Este AE title já está em uso.");
      },
    });
    await user.click(screen.getByRole("button", { name: "Novo receptor" }));
    await user.type(screen.getByLabelText("AE title"), "CLINICA");
    await user.type(screen.getByLabelText("AE titles que podem enviar"), "RM 1, ,RM 2");
    await user.click(screen.getByRole("button", { name: "Criar receptor" }));
    await screen.findByText("Este AE title já está em uso.");
    expect(sent).toEqual([{ aeTitle: "CLINICA", callingAETitles: ["RM 1", "RM 2"], addresses: [] }]);
  });

  test("are refused at the field that is wrong, which keeps what was typed", async () => {
    const violations = [
      { path: "addresses.1", code: "validation.invalid", message: "Este valor não é válido" },
    ];
    const user = await show({
      "POST /api/receivers": () =>
        problem(400, "validation.failed", "Confira os campos destacados.", { violations }),
    });
    await user.click(screen.getByRole("button", { name: "Novo receptor" }));
    const title = screen.getByLabelText("AE title");
    const addresses = screen.getByLabelText<HTMLInputElement>("Endereços que podem enviar");
    await user.type(title, "CLINICA");
    await user.type(addresses, "10.0.0.1, 999.1.1.1");
    await user.click(screen.getByRole("button", { name: "Criar receptor" }));
    const wrong = await screen.findByText("Este valor não é válido");
    expect(wrong.textContent).toContain("Como 200.1.2.3 ou 10.0.0.0/8. Vazio: qualquer um.");
    expect(addresses.getAttribute("aria-invalid")).toBe("true");
    expect(addresses.value).toBe("10.0.0.1, 999.1.1.1");
    expect(document.activeElement).toBe(addresses);
    expect(title.getAttribute("aria-invalid")).toBeNull();
  });

  test("are refused in a notice when no field is to blame", async () => {
    const user = await show({
      "POST /api/receivers": () => problem(409, "receiver.too_many", "Já há 20 receptores."),
    });
    await user.click(screen.getByRole("button", { name: "Novo receptor" }));
    await user.type(screen.getByLabelText("AE title"), "CLINICA");
    await user.click(screen.getByRole("button", { name: "Criar receptor" }));
    await screen.findByText("Já há 20 receptores.");
    expect(screen.getByLabelText("AE title").getAttribute("aria-invalid")).toBeNull();
  });

  test("are removed only after a question, and hand the focus to their heading with the last one", async () => {
    const ended: string[] = [];
    const user = await show({
      "GET /api/receivers": () => Response.json(ended.length > 0 ? [] : [receiver]),
      [`DELETE /api/receivers/${receiver.id}`]: () => {
        ended.push(receiver.id);
        return Response.json({ ended: true });
      },
    });
    await user.click(screen.getByRole("button", { name: "Remover o receptor EXAMETECA_MG" }));
    expect(ended).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Remover receptor" }));
    await screen.findByText("Receptor removido");
    expect(ended).toEqual([receiver.id]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Receptores DICOM"));
  });

  test("are made without closing what the person opened meanwhile", async () => {
    const made = Promise.withResolvers<Response>();
    const user = await show({ "POST /api/receivers": () => made.promise });
    const aeTitle = () => screen.getByLabelText<HTMLInputElement>("AE title");
    await user.click(screen.getByRole("button", { name: "Novo receptor" }));
    await user.type(aeTitle(), "CLINICA");
    await user.click(screen.getByRole("button", { name: "Criar receptor" }));
    await travel("back");
    await user.click(screen.getByRole("button", { name: "Novo receptor" }));
    await user.type(aeTitle(), "TOMO");
    made.resolve(Response.json(receiver, { status: 201 }));
    expect(await screen.findByText("Receptor criado")).toBeDefined();
    await drawn();
    expect(aeTitle().value).toBe("TOMO");
  });
});
