import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { i18n } from "@lingui/core";
import { getDefaultStore } from "jotai";
import { openAtom, viewAtom } from "../../../src/client/features/places/views.ts";
import { EMPTY_FORM } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import { saveRecord } from "../../../src/client/features/upload/send/resume-records.ts";
import { TimeLeft } from "../../../src/client/features/upload/transfer-text.tsx";
import { runJob } from "../../../src/client/features/upload/tray/run-job.ts";
import { StallWatch } from "../../../src/client/features/upload/tray/stall-watch.ts";
import type { UploadJob } from "../../../src/client/features/upload/tray/upload-job.ts";
import UploadTray from "../../../src/client/features/upload/tray/upload-tray.tsx";
import { isSent, percentOf, type Transfer } from "../../../src/client/features/upload/upload-state.ts";
import UploadView from "../../../src/client/features/upload/upload-view.tsx";
import { PHONE } from "../../../src/client/ui/hooks/use-media-query.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import {
  act,
  cleanup,
  screen,
  untilGone,
  userEvent,
  waitFor,
  withDom,
  within,
} from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena, problem, renderView, shownView } from "../../support/client/render-view.tsx";
import { leaveAndComeBack, Revisited } from "../../support/client/revisited.tsx";
import { ToldRequest } from "../../support/client/told-request.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";

withDom();

const user = userEvent.setup({ applyAccept: false });
const answer = {
  studyInstanceUID: "2.25.10",
  studies: [{ id: "s1", studyInstanceUID: "2.25.10", imagesReceived: 1, duplicates: 0 }],
  instancesReceived: 1,
  skipped: [],
  skippedCount: 0,
};
const tray = () => within(screen.getByRole("region", { name: "Envios" }));

/** Begins to send an exam; the view can be left by "Menu", as the frame's menu leaves it. */
async function sendOne(): Promise<ToldRequest> {
  ToldRequest.install();
  await renderView(
    <>
      <Revisited view={<UploadView />} />
      <UploadTray />
    </>,
    { open: (store) => store.set(viewAtom, "uploadExames") },
  );
  return sendAnother();
}

async function sendAnother(name = "exame.zip"): Promise<ToldRequest> {
  const file = new File([zipFile({ IM1: sampleFile() })], name);
  await user.upload(screen.getByLabelText("Arquivo ZIP do exame"), file);
  await user.click(await screen.findByRole("button", { name: "Enviar exame" }));
  await act(async () => {});
  await waitFor(() => expect(ToldRequest.last.body).toBeDefined());
  return ToldRequest.last;
}

const goTo = (view: "support" | "uploadExames") => act(async () => getDefaultStore().set(viewAtom, view));

async function onPhone(job: () => Promise<void>): Promise<void> {
  const media = spyOn(window, "matchMedia").mockImplementation(
    (media) => Object.assign(new EventTarget(), { media, matches: media === PHONE }) as MediaQueryList,
  );
  try {
    await job();
  } finally {
    media.mockRestore();
  }
}

async function openTray(): Promise<void> {
  const expand = tray().queryByRole("button", { name: "Expandir" });
  if (expand) await user.click(expand);
}

async function progress(request: ToldRequest, loaded: number): Promise<void> {
  await act(async () => request.upload.onprogress?.({ loaded, total: 100 }));
}

describe("an upload", () => {
  test("goes on in the tray when its view is left, and is shown there again on the way back", async () => {
    answerCalls({ "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }) });
    const request = await sendOne();
    expect(screen.queryByRole("region", { name: "Envios" })).toBeNull();
    await goTo("support");
    await leaveAndComeBack();
    await progress(request, 62);
    expect(request.isAborted).toBe(false);
    expect(tray().getByText("Enviando")).toBeDefined();
    await goTo("uploadExames");
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("62");
    await goTo("support");
    await act(async () => request.answer(201, answer));
    expect(await screen.findByText("Upload concluído")).toBeDefined();
    expect(tray().getByText("1 exame guardado")).toBeDefined();
    expect(shownView()).toBe("support");
  });

  test("that loses its connection says at how many per cent and is sent again with what was filled in", async () => {
    answerCalls({});
    const request = await sendOne();
    await progress(request, 47);
    await act(async () => request.onerror?.());
    const text = "Envio interrompido. A conexão caiu em 47 %.";
    expect((await screen.findByRole("alert")).textContent).toStartWith(text);
    await goTo("support");
    expect(tray().getByText("1 envio interrompido")).toBeDefined();
    await user.click(tray().getByRole("button", { name: "Expandir" }));
    expect(tray().getByText(text)).toBeDefined();
    await user.click(tray().getByRole("button", { name: "Tentar de novo: exame.zip" }));
    expect(document.activeElement?.textContent).toStartWith("exame.zip");
    await waitFor(() => expect(ToldRequest.last).not.toBe(request));
    expect(ToldRequest.last.body?.get("formData")).toBe(request.body?.get("formData") ?? null);
  });

  test("begins in a page without TLS, where browsers make no UUIDs", async () => {
    answerCalls({});
    const { randomUUID } = crypto;
    Object.defineProperty(crypto, "randomUUID", { configurable: true, writable: true, value: undefined });
    try {
      const request = await sendOne();
      expect(request.body).toBeDefined();
    } finally {
      Object.defineProperty(crypto, "randomUUID", { configurable: true, writable: true, value: randomUUID });
    }
  });

  test("asks before much of it is lost: Keep uploading, or Cancel upload", async () => {
    answerCalls({});
    const request = await sendOne();
    await progress(request, 62);
    await user.click(screen.getByRole("button", { name: "Cancelar envio" }));
    const question = within(await screen.findByRole("alertdialog"));
    expect(question.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
      "Continuar enviando",
      "Cancelar envio",
    ]);
    await user.click(question.getByRole("button", { name: "Continuar enviando" }));
    expect(request.isAborted).toBe(false);
    await user.click(screen.getByRole("button", { name: "Cancelar envio" }));
    await user.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Cancelar envio" }),
    );
    await waitFor(() => expect(request.isAborted).toBe(true));
    expect(screen.getByText("Solte aqui os exames")).toBeDefined();
  });

  test("waits in the queue until the one before it is done", async () => {
    answerCalls({
      "GET /api/studies/s1/status": () => problem(503, "store.unavailable", "x"),
      "POST /api/uploads": () => problem(503, "store.unavailable", "x"),
    });
    const first = await sendOne();
    await sendAnother("segundo.zip");
    expect(ToldRequest.last).toBe(first);
    expect(screen.getByRole("button", { name: "Esperando a vez…" })).toBeDefined();
    await act(async () => first.answer(201, answer));
    await waitFor(() => expect(ToldRequest.last).not.toBe(first));
  });

  test("that waits for the shown one is told as waiting, not as one that is sent at 0 %", async () => {
    answerCalls({ "POST /api/uploads": () => problem(503, "store.unavailable", "x") });
    const zipOf = (studyInstanceUID: string) => {
      const elements = { [TagHex.StudyInstanceUID]: { vr: "UI" as const, Value: [studyInstanceUID] } };
      return new File([zipFile({ IM1: sampleFile(elements) })], `${studyInstanceUID}.zip`);
    };
    ToldRequest.install();
    await renderView(
      <>
        <UploadView />
        <UploadTray />
      </>,
      { open: (store) => store.set(viewAtom, "uploadExames") },
    );
    await user.upload(screen.getByLabelText("Arquivo ZIP do exame"), [zipOf("2.25.10"), zipOf("2.25.11")]);
    await user.click(await screen.findByRole("button", { name: "Enviar 2 exames" }));
    await waitFor(() => expect(ToldRequest.last.body).toBeDefined());
    await progress(ToldRequest.last, 12);
    expect(screen.getByRole("button", { name: "Enviando… 12%" })).toBeDefined();
    expect(tray().getByText("1 na fila")).toBeDefined();
    expect(tray().queryByText(/Enviando|0 %/)).toBeNull();
  });

  test("waits while all are paused, and begins once all go on", async () => {
    answerCalls({
      "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }),
      "POST /api/uploads": () => problem(503, "store.unavailable", "x"),
    });
    const first = await sendOne();
    await sendAnother("segundo.zip");
    await goTo("support");
    await openTray();
    await user.click(tray().getByRole("button", { name: "Pausar tudo" }));
    // The first is too small to stop midway.
    await act(async () => first.answer(201, answer));
    expect(await tray().findByText("1 envio pausado")).toBeDefined();
    expect(tray().getByText("Pausado")).toBeDefined();
    expect(ToldRequest.last).toBe(first);
    await user.click(tray().getByRole("button", { name: "Continuar tudo" }));
    await waitFor(() => expect(ToldRequest.last).not.toBe(first));
  });

  test("names what it left out, with the reasons, on a line of its own", async () => {
    answerCalls({ "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }) });
    const request = await sendOne();
    await goTo("support");
    const skipped = Array.from({ length: 7 }, (_, n) => ({ name: `F${n}.TXT`, reason: "not_dicom" }));
    await act(async () => request.answer(201, { ...answer, skipped, skippedCount: 9 }));
    await openTray();
    expect(tray().getByText("1 imagem guardada e conferida")).toBeDefined();
    const name = document.querySelector(".tray-row b")?.textContent;
    expect(tray().getByRole("button", { name: `Abrir ${name}` })).toBeDefined();
    const left = tray().getByText("9 arquivos ficaram de fora").closest("details");
    expect(left?.open).toBe(false);
    const lines = [...(left?.querySelectorAll("li") ?? [])].map(({ textContent }) => textContent);
    expect(lines).toEqual([...[0, 1, 2, 3, 4].map((n) => `F${n}.TXTNão é um arquivo DICOM`), "e mais 4"]);
  });

  test("names the images that differ from others with their identifiers, as a warning that stays", async () => {
    answerCalls({ "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }) });
    const request = await sendOne();
    await goTo("support");
    const conflicts = [{ name: "DICOM/IM2", sopInstanceUID: "2.25.7" }];
    await act(async () => request.answer(201, { ...answer, conflicts, conflictCount: 1 }));
    await openTray();
    const warning = await tray().findByText(
      "1 imagem é diferente de outra com o mesmo identificador. As duas foram guardadas.",
    );
    const line = warning.closest("details");
    expect(line?.className).toContain("is-warn");
    expect(line?.querySelector("li")?.textContent).toBe("DICOM/IM22.25.7");
    const another = await sendAnother("outro.zip");
    await act(async () => another.answer(201, answer));
    await waitFor(() => expect(tray().getAllByText("1 imagem guardada e conferida").length).toBe(2));
    expect(tray().getByText(/^1 imagem é diferente de outra/)).toBe(warning);
  });

  test("that has no room says so as a warning, with the plans and the exams to delete", async () => {
    answerCalls({});
    const request = await sendOne();
    await goTo("support");
    const text = "Seu plano não tem espaço para isto.";
    const refusal = { type: "about:blank", title: "", status: 403, requestId: "r1" };
    await act(async () => request.answer(403, { ...refusal, code: "quota.bytes", message: text }));
    await openTray();
    const row = tray().getByText(text).closest("li");
    expect([row?.className, row?.querySelectorAll(".tray-mark.is-warn").length]).toEqual([
      "tray-row is-warn",
      1,
    ]);
    expect(tray().getByRole("link", { name: "Ver planos" })).toBeDefined();
    await user.click(tray().getByRole("button", { name: "Liberar espaço" }));
    expect(shownView()).toBe("listaExames");
  });

  test("that a full server stops does not say that nothing of it was kept: chunks may be there", async () => {
    answerCalls({});
    const request = await sendOne();
    await progress(request, 47);
    await goTo("support");
    const refusal = { type: "about:blank", title: "", status: 507, requestId: "r1", code: "storage.full" };
    await act(async () => request.answer(507, { ...refusal, message: "Nada foi guardado." }));
    await openTray();
    const text = "Envio interrompido. O servidor está sem espaço no momento. Tente de novo mais tarde.";
    expect(tray().getByText(text)).toBeDefined();
  });

  test("that stands still says that there is no connection", async () => {
    answerCalls({});
    const request = await sendOne();
    await progress(request, 30);
    const onLine = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(navigator), "onLine");
    Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
    try {
      expect(await screen.findByText("Sem conexão…")).toBeDefined();
    } finally {
      if (onLine) Object.defineProperty(navigator, "onLine", onLine);
    }
    await progress(request, 31);
    expect(screen.queryByText("Sem conexão…")).toBeNull();
  });

  test("asks before the page is closed, and no more once it is done", async () => {
    answerCalls({ "GET /api/studies/s1/status": () => Response.json({ status: "b2", isReady: true }) });
    const request = await sendOne();
    const isAsked = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    expect(isAsked()).toBe(true);
    await act(async () => request.answer(201, answer));
    expect(isAsked()).toBe(false);
  });
});

describe("an upload of the account in another place", () => {
  const record = {
    ...{ id: "row", userId: helena.id, path: "/api/uploads/u2", kind: "zip", sizeBytes: 1000 },
    ...{ isPaused: false, savedAt: Date.now(), samples: [] },
  };
  const upload = (id: string, lastByteAt: number) => ({
    ...{ id, filename: `${id}.zip`, sizeBytes: 1000, offset: 420, state: "receiving" },
    createdAt: new Date(lastByteAt).toISOString(),
    expiresAt: new Date(lastByteAt + 7 * 24 * 3600_000).toISOString(),
  });

  test("is shown as such, moving or interrupted, and can only be discarded, after a question", async () => {
    const uploads = [upload("u1", Date.now()), upload("u3", Date.now() - 60_000)];
    const calls = answerCalls({
      "GET /api/uploads": () => Response.json(uploads),
      "DELETE /api/uploads/u1": () => {
        uploads.shift();
        return new Response(null, { status: 204 });
      },
    });
    await renderView(<UploadTray />);
    await screen.findByRole("region", { name: "Envios" });
    expect(tray().getByText("Enviando em outro lugar")).toBeDefined();
    await openTray();
    expect(tray().getByText("42 % · em outro navegador")).toBeDefined();
    expect(tray().getByText("Interrompido em 42 % em outro navegador")).toBeDefined();
    await user.click(tray().getByRole("button", { name: "Cancelar o envio de u1.zip" }));
    const question = within(await screen.findByRole("alertdialog"));
    expect(calls).not.toContain("DELETE /api/uploads/u1");
    await user.click(question.getByRole("button", { name: "Cancelar envio" }));
    await untilGone(() => screen.queryByText("42 % · em outro navegador"));
    expect(tray().getByText("Interrompido em outro lugar")).toBeDefined();
  });

  test("that this browser began is asked for again, also after somebody signed out and in", async () => {
    localStorage.setItem("uploads-under-way", JSON.stringify([record]));
    try {
      answerCalls({
        "GET /api/uploads": () => Response.json([upload("u2", Date.now())]),
        "GET /api/uploads/u2": () => Response.json(upload("u2", Date.now())),
      });
      for (const _ of ["before", "after"]) {
        await renderView(<UploadTray />);
        await waitFor(() => expect(tray().getByText("Parado em 42 %")).toBeDefined());
        await openTray();
        expect(tray().getByRole("button", { name: "Escolher u2.zip" })).toBeDefined();
        expect(await screen.findByText("Escolha de novo u2.zip para continuar de 42 %.")).toBeDefined();
        expect(screen.queryByText(/em outr/)).toBeNull();
        cleanup();
      }
    } finally {
      localStorage.removeItem("uploads-under-way");
    }
  });
});

test("a folder whose files this browser lost is not asked for by the name of its ZIP, and is chosen anew", async () => {
  const record = { id: "row9", userId: helena.id, path: "/api/uploads/u9", kind: "folder", sizeBytes: 1000 };
  localStorage.setItem(
    "uploads-under-way",
    JSON.stringify([{ ...record, isPaused: false, savedAt: Date.now(), samples: [] }]),
  );
  const now = new Date().toISOString();
  const upload = { id: "u9", filename: "dicom_files.zip", sizeBytes: 1000, offset: 420, state: "receiving" };
  const state = { ...upload, createdAt: now, expiresAt: now };
  const calls = answerCalls({
    "GET /api/uploads": () => Response.json([state]),
    "GET /api/uploads/u9": () => Response.json(state),
    "DELETE /api/uploads/u9": () => new Response(null, { status: 204 }),
  });
  await renderView(<UploadTray />);
  await waitFor(() => expect(tray().getByText("Parado em 42 %")).toBeDefined());
  await openTray();
  expect(tray().getByText("Pasta de exames")).toBeDefined();
  expect(document.body.innerHTML).not.toContain("dicom_files");
  await user.click(tray().getByRole("button", { name: "Escolher a pasta de novo" }));
  await waitFor(() => expect(calls).toContain("DELETE /api/uploads/u9"));
  expect(shownView()).toBe("uploadExames");
});

test("an upload that is cancelled here is not taken for one of another browser until the list is read again", async () => {
  const record = { id: "row8", userId: helena.id, path: "/api/uploads/u8", kind: "zip", sizeBytes: 1000 };
  localStorage.setItem(
    "uploads-under-way",
    JSON.stringify([{ ...record, isPaused: false, savedAt: Date.now(), samples: [] }]),
  );
  const now = new Date().toISOString();
  const upload = { id: "u8", filename: "u8.zip", sizeBytes: 1000, offset: 420, state: "receiving" };
  const state = { ...upload, createdAt: now, expiresAt: now };
  const calls = answerCalls({
    "GET /api/uploads": () => Response.json([state]),
    "GET /api/uploads/u8": () => Response.json(state),
    "DELETE /api/uploads/u8": () => new Response(null, { status: 204 }),
  });
  await renderView(<UploadTray />);
  await waitFor(() => expect(tray().getByText("Parado em 42 %")).toBeDefined());
  await openTray();
  await user.click(tray().getByRole("button", { name: "Cancelar o envio de u8.zip" }));
  await waitFor(() => expect(calls).toContain("DELETE /api/uploads/u8"));
  expect(screen.queryAllByText("u8.zip").length).toBe(0);
});

describe("an upload that ended before a reload", () => {
  const stateOf = (more: object) => ({
    ...{ id: "u4", filename: "u4.zip", sizeBytes: 100, offset: 100, createdAt: "", expiresAt: "", ...more },
  });
  const keep = (state: object) => {
    const record = { id: "u4", userId: helena.id, path: "/api/uploads/u4", kind: "zip", sizeBytes: 100 };
    localStorage.setItem(
      "uploads-under-way",
      JSON.stringify([{ ...record, isPaused: false, savedAt: Date.now(), samples: [] }]),
    );
    answerCalls({
      "GET /api/uploads": () => Response.json([]),
      "GET /api/uploads/u4": () => Response.json(state),
    });
  };

  test("for want of room still offers the plans and the exams to delete", async () => {
    const text = "Seu plano não tem espaço para isto.";
    const refusal = { type: "about:blank", title: "", status: 403, requestId: "r1", message: text };
    keep(stateOf({ state: "failed", problem: { ...refusal, code: "quota.bytes" } }));
    await renderView(<UploadTray />);
    await screen.findByRole("region", { name: "Envios" });
    await openTray();
    expect(tray().getByText(text).closest("li")?.className).toBe("tray-row is-warn");
    expect(tray().getByRole("link", { name: "Ver planos" })).toBeDefined();
    expect(tray().getByRole("button", { name: "Liberar espaço" })).toBeDefined();
  });

  const discardAll = async (trayOf: () => ReturnType<typeof within>, open: () => Promise<void>) => {
    const names = ["u5", "u6", "u7"];
    const problem = { type: "about:blank", title: "", status: 422, code: "upload.no_dicom", requestId: "r1" };
    const answers = names.map((id) => [
      `GET /api/uploads/${id}`,
      () =>
        Response.json(stateOf({ id, filename: id, state: "failed", problem: { ...problem, message: "" } })),
    ]);
    const records = names.map((id) => ({
      ...{ id, userId: helena.id, path: `/api/uploads/${id}`, kind: "zip", sizeBytes: 100 },
      ...{ isPaused: false, savedAt: Date.now(), samples: [] },
    }));
    localStorage.setItem("uploads-under-way", JSON.stringify(records));
    answerCalls({
      "GET /api/uploads": () => Response.json([]),
      ...Object.fromEntries(answers),
      ...Object.fromEntries(
        names.map((id) => [`DELETE /api/uploads/${id}`, () => new Response(null, { status: 204 })]),
      ),
    });
    await renderView(
      <main id="view" tabIndex={-1}>
        <UploadTray />
      </main>,
    );
    await open();
    const discard = async (name: string) => {
      trayOf()
        .getByRole("button", { name: `Cancelar o envio de ${name}` })
        .focus();
      await user.keyboard("{Enter}");
      await untilGone(() => screen.queryByRole("button", { name: `Cancelar o envio de ${name}` }));
      const { activeElement } = document;
      return activeElement?.querySelector("b")?.textContent ?? activeElement?.id;
    };
    expect(await discard("u6")).toBe("u7");
    expect(await discard("u7")).toBe("u5");
    await discard("u5");
    await waitFor(() => expect(document.activeElement?.id).toBe("view"));
  };

  test("hands the focus to the one in its place, and the last one to the view", () =>
    discardAll(tray, async () => {
      await screen.findByRole("region", { name: "Envios" });
      await openTray();
    }));

  test("does so in a phone's sheet too, which stays closed for the uploads after it", () =>
    onPhone(async () => {
      const sheet = () => within(screen.getByRole("dialog", { name: "Envios" }));
      await discardAll(sheet, async () => {
        // The strip is the only button of the page.
        await user.click(await screen.findByRole("button"));
      });
      expect(getDefaultStore().get(openAtom("uploads"))).toBe(false);
    }));

  test("and another with the rest of the same exam have kept one exam", async () => {
    const record = { userId: helena.id, kind: "zip", sizeBytes: 100, isPaused: false, savedAt: Date.now() };
    const records = ["u4", "u5"].map((id) => ({ ...record, id, path: `/api/uploads/${id}`, samples: [] }));
    localStorage.setItem("uploads-under-way", JSON.stringify(records));
    const done = { state: "done", result: answer };
    answerCalls({
      "GET /api/uploads": () => Response.json([]),
      "GET /api/uploads/u4": () => Response.json(stateOf(done)),
      "GET /api/uploads/u5": () => Response.json(stateOf({ ...done, id: "u5", filename: "u5.zip" })),
    });
    await renderView(<UploadTray />);
    expect(await screen.findAllByText("1 exame guardado")).not.toEqual([]);
  });

  test("well takes one short line above the tabs of a phone", async () => {
    keep(stateOf({ state: "done", result: answer }));
    await onPhone(async () => {
      await renderView(<UploadTray />);
      const title = await screen.findByText("1 exame guardado", { selector: "b" });
      expect(title.closest("button")?.textContent).toBe("1 exame guardado ");
    });
  });
});

test("a line counts as dead after 4 s without a byte, or after three of its longest pauses", () => {
  const quick = new StallWatch(0);
  quick.progressed(500);
  expect([quick.isStalled(4_400), quick.isStalled(4_600)]).toEqual([false, true]);
  const slow = new StallWatch(0);
  slow.progressed(6_000);
  expect([slow.isStalled(23_000), slow.isStalled(24_100)]).toEqual([false, true]);
});

test("a line that was away is told as such again after 4 s, however long it was away before", () => {
  const watch = new StallWatch(0);
  watch.progressed(500);
  watch.failed();
  watch.progressed(60_500);
  expect([watch.isStalled(64_400), watch.isStalled(64_600)]).toEqual([false, true]);
});

test("an upload to a server of the same network goes on quietly while the browser says that it is offline", () => {
  const watch = new StallWatch(0);
  watch.progressed(500);
  expect([watch.isStalled(1_400, false), watch.isStalled(2_100, false)]).toEqual([false, true]);
});

/** Runs an upload that the server had whole before a reload, and answers the looks at it one after the other. */
async function runWhole(answers: object[]) {
  const locks = { request: (_name: string, _options: object, work: () => unknown) => work() };
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  const known = { sizeBytes: 5_000_000, isWhole: true };
  const upload = { id: "u1", filename: "exame.zip", sizeBytes: known.sizeBytes, offset: known.sizeBytes };
  const state = { ...upload, createdAt: "", expiresAt: "" };
  answerCalls({ "GET /api/uploads/u1": () => Response.json({ ...state, ...answers.shift() }) });
  const record = { id: "u1", userId: helena.id, path: "/api/uploads/u1", kind: "zip" } as const;
  saveRecord({ ...record, sizeBytes: known.sizeBytes, isPaused: false, savedAt: Date.now(), samples: [] });
  const job: UploadJob = {
    ...{ id: "u1", form: EMPTY_FORM, known, counts: {}, state: { stage: "queued" } },
    source: { kind: "zip", name: "exame.zip", sizeBytes: known.sizeBytes },
    upload: {
      ...{ zip: new Blob(), fileName: "exame.zip", prefilled: undefined, fileCount: undefined },
      ...{ keptCount: undefined, films: [], contents: undefined, dispose: async () => {} },
    },
  };
  const seen: Transfer[] = [];
  const waits: boolean[] = [];
  await runJob(job, {
    ...{ i18n, userId: helena.id, hasPlan: true, signal: new AbortController().signal },
    onProgress: (transfer) => seen.push(transfer),
    onFailure: () => {},
    onWaiting: (waitsForRoom) => waits.push(waitsForRoom),
  });
  Reflect.deleteProperty(navigator, "locks");
  return { seen, waits };
}

const keptOne = {
  state: "done",
  result: { studyInstanceUID: "2.25.1", studies: [], instancesReceived: 1, skipped: [], skippedCount: 0 },
};

test("an upload that the server had whole before a reload is shown as being processed, not as unsent", async () => {
  const { seen } = await runWhole([keptOne]);
  expect(seen.map(isSent)).toEqual([true]);
  expect(seen.map(percentOf)).toEqual([100]);
});

test("an upload for which the server has no room yet is told as waiting, until there is some", async () => {
  const noRoom = {
    type: "about:blank",
    title: "",
    status: 507,
    requestId: "r1",
    code: "storage.full",
    message: "",
  };
  const { waits } = await runWhole([
    { state: "processing", problem: noRoom },
    { state: "processing" },
    keptOne,
  ]);
  expect(waits).toEqual([true, false]);
  const transfer = { loadedBytes: 1, totalBytes: 1, waitsForRoom: true } as Transfer;
  await renderClient(<TimeLeft transfer={transfer} />);
  expect(screen.getByText("Aguardando espaço no servidor…")).toBeDefined();
});
