import { TagHex } from "../../../src/shared/dicom/tags.ts";
import "../../support/client/dom-globals.ts";
import { describe, expect, setSystemTime, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import UploadTray from "../../../src/client/features/upload/tray/upload-tray.tsx";
import UploadView from "../../../src/client/features/upload/upload-view.tsx";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, fireEvent, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { leaveAndComeBack, Revisited } from "../../support/client/revisited.tsx";
import { subscription, usage } from "../../support/client/subscriptions.ts";
import { ToldRequest } from "../../support/client/told-request.ts";
import { write } from "../../support/client/travel.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

withDom();

/** The view, and the tray that the frame draws beside it. */
function Upload() {
  return (
    <>
      <UploadView />
      <UploadTray />
    </>
  );
}

async function pick(file: File | File[], input = "Arquivo ZIP do exame") {
  await userEvent.setup({ applyAccept: false }).upload(screen.getByLabelText(input), file);
}

const trial = (count: number, examLimit = 2) => ({
  "GET /api/users/exam-count": () => Response.json({ count }),
  "GET /api/subscriptions/my-subscription": () =>
    Response.json({ ...subscription, plan: { ...subscription.plan, examLimit } }),
});

describe("a trial user", () => {
  const showFor = async (count: number, examLimit = 2) => {
    answerCalls(trial(count, examLimit));
    await renderView(<Upload />, { user: { isTrial: true } });
  };

  test("with two exams can't send a third", async () => {
    await showFor(2);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe(
      "Limite Excedido: Você já enviou 2 exames e atingiu o limite máximo para usuários de teste.",
    );
    expect(screen.getByRole("button", { name: "Escolher ZIPs" }).hasAttribute("disabled")).toBe(true);
    expect(screen.getByRole("button", { name: "Escolher pasta" }).hasAttribute("disabled")).toBe(true);
    expect(screen.getByRole("link", { name: "Ver planos" }).getAttribute("href")).toBe("/his/subscription");
  });

  test("is counted again when the person returns after 30 s, and not before", async () => {
    const now = Date.now();
    try {
      const calls = answerCalls(trial(2));
      await renderView(<Revisited view={<Upload />} />, { user: { isTrial: true } });
      await screen.findByRole("alert");
      const comeBackAfter = async (ms: number) => {
        setSystemTime(now + ms);
        await leaveAndComeBack();
        return calls.filter((call) => call === "GET /api/users/exam-count").length;
      };
      expect(await comeBackAfter(29_000)).toBe(1);
      expect(await comeBackAfter(31_000)).toBe(2);
    } finally {
      setSystemTime();
    }
  });

  test("whose plan the operator made larger can send a third", async () => {
    await showFor(2, 5);
    await act(async () => {});
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole("button", { name: "Escolher ZIPs" }).hasAttribute("disabled")).toBe(false);
  });

  test("whose plan the operator made smaller can't send a second", async () => {
    await showFor(1, 1);
    expect((await screen.findByRole("alert")).textContent).toStartWith("Limite Excedido: Você já enviou 1 ");
  });

  test("with one exam can send another", async () => {
    await showFor(1);
    await act(async () => {});
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole("button", { name: "Escolher ZIPs" }).hasAttribute("disabled")).toBe(false);
  });
});

describe("files that can't be sent are refused at once", () => {
  const cases: [string, File, string][] = [
    [
      "another format",
      new File(["x"], "exame.rar"),
      "Apenas arquivos ZIP são aceitos. Uma pasta pode ser enviada inteira.",
    ],
    ["an empty file", new File([], "exame.zip"), "Arquivo ZIP não encontrado ou inválido"],
    [
      "a ZIP without DICOM",
      zipFile({ "a.dcm": Buffer.from("x") }),
      "Erro ao validar DICOM: nenhum arquivo com um exame legível foi encontrado.",
    ],
    [
      "a ZIP beyond the limit",
      new File([new Uint8Array(3 * 1024 ** 2)], "exame.zip"),
      "Arquivo muito grande. Tamanho máximo: 2 MB.",
    ],
  ];
  for (const [name, file, text] of cases) {
    test(name, async () => {
      answerCalls({});
      await renderView(<Upload />, { maxUploadBytes: 2 * 1024 ** 2 });
      await pick(file);
      expect((await screen.findByRole("alert")).textContent).toBe(text);
    });
  }
});

describe("what is dropped", () => {
  const bytes = { IM1: sampleFile() };
  const fileEntry = (file: File, fullPath = `/${file.name}`) =>
    ({ isDirectory: false, fullPath, file: (found: (file: File) => void) => found(file) }) as unknown;
  const folderEntry = (name: string, files: File[]) => {
    const portions = [files.map((file) => fileEntry(file, `/${name}/${file.name}`)), []];
    const createReader = () => ({
      readEntries: (found: (entries: unknown) => void) => found(portions.shift()),
    });
    return { isDirectory: true, name, fullPath: `/${name}`, createReader } as unknown;
  };
  const drop = (...entries: unknown[]) =>
    act(async () => {
      const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
      const zone = document.querySelector(".drop-zone") as HTMLElement;
      fireEvent.drop(zone, { dataTransfer: { items } });
    });

  test("as one ZIP shows what is inside", async () => {
    answerCalls({});
    await renderView(<Upload />);
    await drop(fileEntry(zipFile(bytes)));
    expect(await screen.findByText("Crânio sem contraste")).toBeTruthy();
  });

  test("as a folder is searched, and files that can't be DICOM by their name are left out", async () => {
    answerCalls({});
    await renderView(<Upload />);
    await drop(folderEntry("CD", [new File(["oi"], "leia-me.txt")]));
    expect((await screen.findByRole("alert")).textContent).toBe("Selecione pelo menos um arquivo.");
  });

  test("as a folder with the report of its exam says that the PDF does not go with the images", async () => {
    answerCalls({});
    await renderView(<Upload />);
    const disc = [new File([sampleFile() as BlobPart], "IM1"), new File(["%PDF-1.4"], "LAUDO.PDF")];
    await drop(folderEntry("CD", disc));
    const notice = await screen.findByText(/^LAUDO\.PDF é um PDF e não segue com as imagens\./);
    expect(notice.textContent).toEndWith("anexe-o ao exame em Meus exames, depois do envio.");
  });

  test("as two ZIPs and a folder at once is read together", async () => {
    answerCalls({});
    await renderView(<Upload />);
    const other = { IM1: sampleFile({ [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.11"] } }) };
    await drop(
      fileEntry(zipFile(bytes)),
      fileEntry(zipFile(other, { name: "outro.zip" })),
      folderEntry("CD", [new File([sampleFile() as Uint8Array<ArrayBuffer>], "IM1")]),
    );
    expect(await screen.findByRole("button", { name: "Enviar 2 exames" })).toBeTruthy();
    for (const name of ["exame.zip", "outro.zip", "CD"]) expect(screen.getAllByText(name)).not.toEqual([]);
  });

  test("is refused to a trial user at their limit", async () => {
    answerCalls(trial(2));
    await renderView(<Upload />, { user: { isTrial: true } });
    await screen.findByRole("alert");
    await drop(fileEntry(zipFile(bytes)));
    expect(screen.queryByDisplayValue("João Conceição")).toBeNull();
    expect(screen.getByText("Solte aqui os exames")).toBeTruthy();
  });
});

/** A worker whose code can't be fetched: browsers report that without a message, and nothing else comes. */
class UnreachedWorker {
  onerror: (() => void) | undefined;
  constructor() {
    queueMicrotask(() => this.onerror?.());
  }
  postMessage() {}
  terminate() {}
}

test("a ZIP chosen without a connection stays chosen, and is read once the code for it can be loaded", async () => {
  answerCalls({});
  await renderView(<Upload />);
  const reachable = globalThis.Worker;
  try {
    globalThis.Worker = UnreachedWorker as unknown as typeof Worker;
    await pick(zipFile({ IM1: sampleFile() }));
    expect(await screen.findByText(/Uma parte desta página não pôde ser carregada/)).toBeTruthy();
    expect(screen.queryByText(/não encontrou aqui um exame/)).toBeNull();
    expect(screen.getByText("exame.zip")).toBeTruthy();
  } finally {
    globalThis.Worker = reachable;
  }
  act(() => void window.dispatchEvent(new Event("online")));
  expect(await screen.findByText("Crânio sem contraste")).toBeTruthy();
  expect(screen.queryByText(/Uma parte desta página não pôde ser carregada/)).toBeNull();
});

test("a ZIP whose reading needs code that a newer release has replaced asks for a reload", async () => {
  const page = (release: number) => `<script type="module" src="/assets/boot-${release}.js"></script>`;
  document.head.innerHTML = page(1);
  await renderView(<Upload />);
  answerCalls({ [`GET ${window.location.pathname}`]: () => new Response(page(2)) });
  const reachable = globalThis.Worker;
  try {
    globalThis.Worker = UnreachedWorker as unknown as typeof Worker;
    await pick(zipFile({ IM1: sampleFile() }));
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Há uma versão nova desta página\./);
    expect(screen.getByRole("button", { name: "Recarregar a página" })).toBeTruthy();
  } finally {
    globalThis.Worker = reachable;
    document.head.replaceChildren();
  }
});

async function openCorrection(more = true) {
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Corrigir dados" }));
  if (more) await user.click(screen.getByRole("button", { name: "Paciente, nº de acesso e mais" }));
  return user;
}

test("a picked ZIP's values can be corrected in place; without the ZIP the view starts over", async () => {
  answerCalls({});
  await renderView(<Upload />);
  await pick(zipFile({ IM1: sampleFile() }));
  const user = await openCorrection();
  expect(screen.getByDisplayValue("João Conceição")).toBeTruthy();
  expect(screen.getByDisplayValue("2.25.10").hasAttribute("readonly")).toBe(true);
  await user.click(screen.getByRole("button", { name: "Fechar" }));
  expect(screen.queryByDisplayValue("João Conceição")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Tirar exame.zip" }));
  expect(screen.getByText("Solte aqui os exames")).toBeTruthy();
});

test("a date that is none is shown and not sent", async () => {
  ToldRequest.install();
  answerCalls({});
  await renderView(<Upload />);
  await pick(zipFile({ IM1: sampleFile() }));
  const user = await openCorrection(false);
  const date = screen.getByLabelText("Data do exame");
  await user.clear(date);
  await user.type(date, "31/2/2025");
  await user.click(screen.getByRole("button", { name: "Fechar" }));
  await user.click(screen.getByRole("button", { name: "Enviar exame" }));
  const again = await screen.findByLabelText("Data do exame");
  await waitFor(() => expect(document.activeElement).toBe(again));
  expect(screen.getByText("Esse dia não existe")).toBeTruthy();
});

for (const [locale, input, send, notice] of [
  [
    "pt-BR",
    "Arquivo ZIP do exame",
    "Enviar exame",
    "Este navegador não encontrou aqui um exame que saiba ler. Você ainda pode enviar: o servidor confere o que receber e preenche o que você deixar em branco.",
  ],
  [
    "en-US",
    "ZIP file of the exam",
    "Upload exam",
    "This browser found no exam here that it can read. You can still upload: the server checks what you send and fills in what you leave empty.",
  ],
] as const) {
  test(`a ZIP that the browser can't read is sent unchanged for the server to judge (${locale})`, async () => {
    ToldRequest.install();
    answerCalls({});
    await renderView(<Upload />, { locale });
    const file = new File(["no ZIP that this browser knows"], "exame.zip");
    await pick(file, input);
    expect((await screen.findByRole("status")).textContent).toBe(notice);
    expect(screen.queryByLabelText("Study Instance UID")).toBeNull();
    const user = userEvent.setup();
    await user.type(screen.getByLabelText(locale === "pt-BR" ? "Nome do paciente" : "Patient name"), "Rosa");
    await user.click(screen.getByRole("button", { name: send }));
    await waitFor(() => expect(ToldRequest.last.body).toBeDefined());
    const { body } = ToldRequest.last;
    expect(body?.get("zipFile")).toEqual(file);
    expect(JSON.parse(String(body?.get("formData")))).toEqual({ patientName: "Rosa" });
  });
}

test("the form offers the sexes and modalities by name, and an exam's own code if it is not listed", async () => {
  answerCalls({});
  await renderView(<Upload />);
  const elements = { [TagHex.Modality]: { vr: "CS", Value: ["OPT"] } };
  await pick(zipFile({ IM1: sampleFile(elements) }));
  const user = await openCorrection();
  const optionsOf = async (field: string) => {
    screen.getByRole("combobox", { name: field }).focus();
    await user.keyboard("{Enter}");
    const options = (await screen.findAllByRole("option")).map(({ textContent }) => textContent);
    await user.keyboard("{Escape}");
    return options;
  };
  expect(await optionsOf("Sexo")).toEqual(["Masculino", "Feminino", "Outro"]);
  const modalities = await optionsOf("Modalidade");
  expect(modalities).toHaveLength(16);
  expect(modalities).toContain("CT · Tomografia");
  expect(modalities.at(-1)).toBe("OPT");
});

async function sendOne(locale: Locale = "pt-BR") {
  ToldRequest.install();
  const [input, send] =
    locale === "pt-BR" ? ["Arquivo ZIP do exame", "Enviar exame"] : ["ZIP file of the exam", "Upload exam"];
  await renderView(<Upload />, { locale, open: (store) => store.set(viewAtom, "uploadExames") });
  await pick(zipFile({ IM1: sampleFile() }), input);
  await userEvent.setup().click(await screen.findByRole("button", { name: send }));
  await waitFor(() => expect(ToldRequest.last.body).toBeDefined());
  return ToldRequest.last;
}

describe("sending", () => {
  test("shows its progress, then that the server is processing it", async () => {
    answerCalls({});
    const request = await sendOne();
    expect(request.headers.Authorization).toBe("Bearer t0ken");
    expect(JSON.parse(String(request.body?.get("formData")))).toEqual({ studyInstanceUID: "2.25.10" });
    await act(async () => request.upload.onprogress?.({ loaded: 62, total: 100 }));
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("62");
    expect(screen.getByRole("button", { name: "Enviando… 62%" })).toBeTruthy();
    await act(async () => request.upload.onprogress?.({ loaded: 100, total: 100 }));
    expect(screen.getByRole("button", { name: "Processando…" })).toBeTruthy();
  });

  const failures: [string, (request: ToldRequest) => void, string][] = [
    ["a broken connection", (request) => request.onerror?.(), "Erro de conexão durante o upload"],
    ["an answer without words", (request) => request.answer(502, {}), "Upload falhou"],
    [
      "the server's own words",
      (request) =>
        request.answer(403, {
          type: "x",
          title: "x",
          status: 403,
          code: "quota.exams",
          message: "Limite de exames atingido",
          requestId: "r",
        }),
      "Limite de exames atingido",
    ],
  ];
  for (const [name, fail, text] of failures) {
    test(`reports ${name} and offers another try`, async () => {
      answerCalls({});
      const request = await sendOne();
      await act(async () => fail(request));
      expect(await screen.findByText("Erro no upload")).toBeTruthy();
      expect(screen.getByText(text)).toBeTruthy();
      expect(screen.getByRole("button", { name: "Tentar de novo" })).toBeTruthy();
    });
  }

  test("says once that a damaged ZIP is refused, and offers no other try", async () => {
    answerCalls({});
    const request = await sendOne();
    const message = "O arquivo ZIP está danificado ou incompleto. Nada foi guardado.";
    const problem = {
      type: "x",
      title: "x",
      status: 422,
      code: "upload.unreadable",
      message,
      requestId: "r",
    };
    await write(() => getDefaultStore().set(viewAtom, "uploadExames"));
    await act(async () => request.answer(422, problem));
    expect((await screen.findByRole("alert")).textContent).toBe(message);
    expect(screen.queryByRole("button", { name: "Tentar de novo" })).toBeNull();
    expect(screen.queryByText("Erro no upload")).toBeNull();
    expect(document.querySelector(".contact-sheet")).toBeNull();
    expect(screen.getByRole("button", { name: "Escolher outro" })).toBeTruthy();
  });

  test("begins with what is made, and what can't be made stays to be chosen, without what went", async () => {
    ToldRequest.install();
    answerCalls({});
    await renderView(<Upload />);
    let isGone = false;
    class RemovableFile extends File {
      override slice(...range: Parameters<File["slice"]>): Blob {
        if (isGone) throw new DOMException("", "NotFoundError");
        return super.slice(...range);
      }
    }
    const [first, second] = ["1", "2"].map((study) =>
      zipFile({ IM1: sampleInstance({ study }) }, { name: `${study}.zip` }),
    );
    if (!first || !second) throw new Error("no files");
    await pick([first, new RemovableFile([second], second.name)]);
    const send = await screen.findByRole("button", { name: "Enviar 2 exames" });
    isGone = true;
    await userEvent.setup().click(send);
    expect((await screen.findByRole("alert")).textContent).toBe("Arquivo ZIP não encontrado ou inválido");
    await waitFor(() => expect(ToldRequest.last.body?.get("zipFile")).toEqual(first));
    expect(screen.getByRole("button", { name: "Enviar exame" }).hasAttribute("disabled")).toBe(false);
    expect(screen.getAllByRole("checkbox").map((box) => (box as HTMLInputElement).checked)).toEqual([
      false,
      true,
    ]);
  });

  test("shows that the plan is full, with a link to a larger one, until something else is picked", async () => {
    answerCalls({});
    const request = await sendOne();
    const message = "Não há espaço suficiente no seu plano: 2 de 2 GB estão em uso. Nada foi guardado.";
    const problem = { type: "x", title: "x", status: 403, code: "quota.bytes", message, requestId: "r" };
    await act(async () => request.answer(403, problem));
    expect((await screen.findByRole("alert")).textContent).toBe(message);
    expect(screen.getByRole("link", { name: "Ver planos" })).toBeTruthy();
    await userEvent.setup().click(screen.getByRole("button", { name: "Escolher outro" }));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  for (const [locale, text] of [
    [
      "pt-BR",
      "Não há espaço suficiente no seu plano: este envio tem 41 MB e restam 10 MB. Nada foi enviado.",
    ],
    [
      "en-US",
      "There is not enough storage left in your plan: this upload has 41 MB, 10 MB are left. Nothing was sent.",
    ],
  ] as const) {
    test(`does not start for a large file that the plan has no room for (${locale})`, async () => {
      answerCalls({
        "GET /api/subscriptions/usage-stats": () =>
          Response.json({ ...usage, storageRemainingBytes: 10 * 1024 ** 2 }),
      });
      await renderView(<Upload />, { locale });
      const large = zipFile({ IM1: sampleFile(), IM2: new Uint8Array(40 * 1024 ** 2 + 1000) }, { level: 0 });
      await pick(large, locale === "pt-BR" ? "Arquivo ZIP do exame" : "ZIP file of the exam");
      const send = locale === "pt-BR" ? "Enviar exame" : "Upload exam";
      await userEvent.setup().click(await screen.findByRole("button", { name: send }));
      expect((await screen.findByRole("alert")).textContent).toBe(text);
    });
  }

  test("reports a failure without a message in English too", async () => {
    answerCalls({});
    const request = await sendOne("en-US");
    await act(async () => request.answer(502, {}));
    expect(await screen.findByText("Upload error")).toBeTruthy();
    expect(screen.getByText("Upload failed")).toBeTruthy();
  });

  test("says at its end how many files were left out and opens the list", async () => {
    answerCalls({ "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }) });
    const request = await sendOne();
    await act(async () =>
      request.answer(200, {
        studyInstanceUID: "2.25.10",
        studies: [{ id: "s1", studyInstanceUID: "2.25.10", imagesReceived: 1, duplicates: 0 }],
        instancesReceived: 1,
        skipped: [{ name: "a", reason: "zip.crc" }],
        skippedCount: 1,
      }),
    );
    expect(await screen.findByText("Upload concluído")).toBeTruthy();
    expect(screen.getByText("Seu exame está pronto para visualização. 1 arquivo ignorado.")).toBeTruthy();
    expect(screen.getByText("Solte aqui os exames")).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
    await waitFor(() => expect(shownView()).toBe("listaExames"));
  });
});
