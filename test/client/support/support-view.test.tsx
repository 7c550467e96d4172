import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { eraseKeptInTab, readKeptInTab } from "../../../src/client/features/session/kept-in-tab.ts";
import SupportView from "../../../src/client/features/support/support-view.tsx";
import { endSession } from "../../../src/client/session.ts";
import { maxSupportImageBytes } from "../../../src/shared/api/support.ts";
import { act, cleanup, screen, untilGone, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { helena, problem, renderView } from "../../support/client/render-view.tsx";
import { leaveAndComeBack, Revisited } from "../../support/client/revisited.tsx";

withDom();
beforeEach(() => eraseKeptInTab());

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const imageOf = (bytes: Uint8Array, name = "tela.png") =>
  new File([Uint8Array.from(bytes)], name, { type: "image/png" });

interface Sent {
  headers: Headers;
  form: FormData;
}

/** Keeps what the form sends. */
function answerSupport(response: () => Response): Sent[] {
  const sent: Sent[] = [];
  globalThis.fetch = (async (_path: string, init?: RequestInit) => {
    sent.push({ headers: new Headers(init?.headers), form: init?.body as FormData });
    return response();
  }) as unknown as typeof fetch;
  return sent;
}

async function showSupport() {
  await renderView(<SupportView />);
  return userEvent.setup({ applyAccept: false });
}

const send = () => screen.getByRole("button", { name: "Enviar" });
const pick = (user: ReturnType<typeof userEvent.setup>, file: File) =>
  user.upload(screen.getByLabelText("Imagem (opcional)"), file);

describe("the support form", () => {
  test("promises an answer within 48 hours and requires a subject and a message", async () => {
    const user = await showSupport();
    expect(screen.getByText(/em até 48 horas/)).toBeDefined();
    await user.click(send());
    expect(await screen.findByText("Informe o assunto")).toBeDefined();
    expect(screen.getByText("Escreva a mensagem")).toBeDefined();
  });

  test("checks the image's content and size before it is sent, whatever its name", async () => {
    const user = await showSupport();
    await pick(user, imageOf(new TextEncoder().encode("no image"), "tela.png"));
    expect(await screen.findByText("Formato de imagem inválido. Use JPG, PNG ou GIF")).toBeDefined();
    expect(maxSupportImageBytes).toBe(5 * 1024 ** 2);
    const large = new Uint8Array(maxSupportImageBytes + 1);
    large.set(PNG);
    await pick(user, imageOf(large));
    expect(await screen.findByText("Imagem muito grande. Tamanho máximo: 5MB")).toBeDefined();
  });

  test("names an image that can't be sent and lets it be taken out, so that the message is sent without it", async () => {
    const sent = answerSupport(() => Response.json({ sent: true }, { status: 201 }));
    const user = await showSupport();
    await user.type(screen.getByLabelText("Assunto"), "O envio para");
    await user.type(screen.getByLabelText("Mensagem"), "Para em 62%.");
    await pick(user, imageOf(new TextEncoder().encode("no image"), "tela.bmp"));
    expect(await screen.findByText("tela.bmp")).toBeDefined();
    await user.click(send());
    expect(screen.getByText("Formato de imagem inválido. Use JPG, PNG ou GIF")).toBeDefined();
    expect(sent).toHaveLength(0);
    await user.click(screen.getByRole("button", { name: "Remover a imagem" }));
    expect(document.activeElement === screen.getByRole("button", { name: "Anexar imagem" })).toBe(true);
    await untilGone(() => screen.queryByText("Formato de imagem inválido. Use JPG, PNG ou GIF"));
    await user.click(send());
    expect(await screen.findByText("Mensagem enviada")).toBeDefined();
    expect(sent.map(({ form }) => form.get("image"))).toEqual([null]);
  });

  test("keeps the image that was chosen last, also if one chosen before it is read late", async () => {
    const user = await showSupport();
    const read = Promise.withResolvers<ArrayBuffer>();
    const late = Object.assign(imageOf(Uint8Array.from(PNG), "nuvem.png"), {
      slice: () => ({ arrayBuffer: () => read.promise }),
    });
    await pick(user, late);
    await pick(user, imageOf(Uint8Array.from(PNG), "tela.png"));
    await screen.findByText("tela.png");
    await act(async () => read.resolve(Uint8Array.from(PNG).buffer));
    expect(screen.queryByText("nuvem.png") === null).toBe(true);
    screen.getByText("tela.png");
  });

  test("sends everything without the session's token, confirms it and empties the form", async () => {
    const sent = answerSupport(() => Response.json({ sent: true }, { status: 201 }));
    const user = await showSupport();
    await user.type(screen.getByLabelText("Assunto"), "O envio para");
    await user.type(screen.getByLabelText("Mensagem"), "Para em 62%.");
    await pick(user, imageOf(Uint8Array.from(PNG)));
    expect(await screen.findByText("tela.png")).toBeDefined();
    await user.click(send());
    expect(await screen.findByText("Mensagem enviada")).toBeDefined();
    const [{ headers, form } = { headers: new Headers(), form: new FormData() }] = sent;
    expect(headers.get("Authorization")).toBeNull();
    expect(form.get("subject")).toBe("O envio para");
    expect(form.get("message")).toBe("Para em 62%.");
    expect(form.get("userEmail")).toBe(helena.email);
    expect(form.get("userName")).toBe(helena.name);
    expect((form.get("image") as File).name).toBe("tela.png");
    expect((screen.getByLabelText("Assunto") as HTMLInputElement).value).toBe("");
    await untilGone(() => screen.queryByText("tela.png"));
  });

  test("shows a failure and keeps the typed text", async () => {
    answerSupport(() => problem(429, "http.too_many", "Muitas mensagens. Tente mais tarde."));
    const user = await showSupport();
    await user.type(screen.getByLabelText("Assunto"), "a");
    await user.type(screen.getByLabelText("Mensagem"), "b");
    await user.click(send());
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Erro ao enviar mensagem");
    expect(alert.textContent).toContain("Muitas mensagens. Tente mais tarde.");
    expect((screen.getByLabelText("Mensagem") as HTMLTextAreaElement).value).toBe("b");
  });

  test("sends a message again under its key after a lost answer, and a changed one under another", async () => {
    const sent = answerSupport(() => problem(503, "http.unavailable", "Fora do ar."));
    const user = await showSupport();
    await user.type(screen.getByLabelText("Assunto"), "Duas");
    await user.type(screen.getByLabelText("Mensagem"), "vezes");
    for (const tries of [1, 2]) {
      await user.click(send());
      await waitFor(() => expect(sent).toHaveLength(tries));
      await screen.findByRole("alert");
    }
    await user.type(screen.getByLabelText("Mensagem"), "!");
    await user.click(send());
    await waitFor(() => expect(sent).toHaveLength(3));
    const [lost, again, changed] = sent.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(lost).toMatch(/^[\w-]{12,}$/);
    expect(again).toBe(lost ?? "");
    expect(changed).not.toBe(lost ?? "");
  });

  test("keeps what is typed for whoever signs in again, until it is sent", async () => {
    answerSupport(() => Response.json({ sent: true }, { status: 201 }));
    const user = await showSupport();
    await user.type(screen.getByLabelText("Assunto"), "O visualizador");
    await user.type(screen.getByLabelText("Mensagem"), "Não abre.");
    await act(async () => endSession("expired"));
    cleanup();
    await showSupport();
    expect(screen.getByLabelText<HTMLTextAreaElement>("Mensagem").value).toBe("Não abre.");
    expect(screen.getByLabelText<HTMLInputElement>("Assunto").value).toBe("O visualizador");
    await user.click(send());
    expect(await screen.findByText("Mensagem enviada")).toBeDefined();
    expect(readKeptInTab(helena.id, "support")).toBeUndefined();
    expect(screen.getByLabelText<HTMLTextAreaElement>("Mensagem").value).toBe("");
  });

  test("is there again after a look at another view", async () => {
    await renderView(<Revisited view={<SupportView />} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Assunto"), "O visualizador");
    await user.type(screen.getByLabelText("Mensagem"), "Não abre.");
    await leaveAndComeBack();
    expect(screen.getByLabelText<HTMLInputElement>("Assunto").value).toBe("O visualizador");
    expect(screen.getByLabelText<HTMLTextAreaElement>("Mensagem").value).toBe("Não abre.");
  });
});
