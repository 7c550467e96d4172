import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { ExamContents } from "../../../src/client/features/upload/contents/exam-contents.tsx";
import { restKey } from "../../../src/client/features/upload/draft/plan-uploads.ts";
import UploadTray from "../../../src/client/features/upload/tray/upload-tray.tsx";
import UploadView from "../../../src/client/features/upload/upload-view.tsx";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import { type Answer, answerCalls, renderView } from "../../support/client/render-view.tsx";
import { usage } from "../../support/client/subscriptions.ts";
import { ToldRequest } from "../../support/client/told-request.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import { type SampleInstance, sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

withDom();

const user = userEvent.setup({ applyAccept: false });
const KEPT = "POST /api/studies/kept";
const none: Answer = () => Response.json([]);
const roomFor =
  (examsRemaining: number): Answer =>
  () =>
    Response.json({ ...usage, examsRemaining });

async function pick(files: File[], answers: Record<string, Answer> = {}): Promise<void> {
  answerCalls({ [KEPT]: none, "GET /api/subscriptions/usage-stats": roomFor(10), ...answers });
  await renderView(
    <>
      <UploadView />
      <UploadTray />
    </>,
  );
  await user.upload(screen.getByLabelText("Arquivo ZIP do exame"), files);
}

const zipOf = (...instances: SampleInstance[]) =>
  zipFile(Object.fromEntries(instances.map((one, n) => [`IM${n}`, sampleInstance(one)])));

/** The exams below a heading, by the text of their rows. */
async function group(title: string) {
  const heading = await screen.findByRole("heading", { name: new RegExp(`^${title}`) });
  const rows = heading.parentElement ? within(heading.parentElement).getAllByRole("listitem") : [];
  return rows.map(({ textContent }) => textContent ?? "");
}

const send = (name: string) => screen.getByRole("button", { name }) as HTMLButtonElement;

describe("before anything is sent, a picked ZIP shows", () => {
  test("its exams with patient, date, series and images, and how many the button sends", async () => {
    await pick([zipOf({}, { sop: "2" }, { series: "2" }, { study: "2" })]);
    const rows = await group("Para enviar");
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain("Crânio sem contrasteJoão Conceição · 14-03-2026 · Clínica São José");
    expect(rows[0]).toContain("3 imagens · 2 séries");
    expect(document.querySelector(".found-exam canvas")).not.toBeNull();
    expect(send("Enviar 2 exames").disabled).toBe(false);
  });

  test("which of them are kept already", async () => {
    const kept = {
      id: "s1",
      studyInstanceUID: studyUID("2"),
      imagesReceived: 56,
      createdAt: "2026-11-20T12:00:00Z",
    };
    const files = [sampleInstance({ study: "2" })].map((bytes) => ({
      sopInstanceUID: "2.25.3.2.1.1",
      sizeBytes: bytes.length,
      crc32: crc32(bytes),
    }));
    await pick([zipOf({}, { study: "2" })], {
      [KEPT]: ({ body }) => {
        expect(body).toEqual({ studyInstanceUIDs: [studyUID("1"), studyUID("2")] });
        return Response.json([kept]);
      },
      "GET /api/studies/s1/kept-instances": () => Response.json({ isComplete: true, instances: files }),
    });
    expect((await group("Já guardado"))[0]).toContain("1 imagem, já guardada em 20-11-2026");
    expect(screen.getByRole("button", { name: "Abrir o que está guardado" })).toBeDefined();
    expect(await group("Para enviar")).toHaveLength(1);
  });

  test("that everything in it is kept already, which is why nothing can be sent", async () => {
    const kept = { id: "s1", studyInstanceUID: studyUID("1"), imagesReceived: 1, createdAt: "2026-11-20" };
    const bytes = sampleInstance({});
    const files = [{ sopInstanceUID: "2.25.3.1.1.1", sizeBytes: bytes.length, crc32: crc32(bytes) }];
    await pick([zipOf({})], {
      [KEPT]: () => Response.json([kept]),
      "GET /api/studies/s1/kept-instances": () => Response.json({ isComplete: true, instances: files }),
    });
    expect(await screen.findByText("Tudo aqui já está guardado.")).toBeDefined();
    expect(send("Enviar").disabled).toBe(true);
    expect(screen.getByText("0 exames")).toBeDefined();
  });

  test("what is missing of one that is kept in part, and counts no room for it", async () => {
    const kept = { id: "s1", studyInstanceUID: studyUID("2"), imagesReceived: 1, createdAt: "2026-11-20" };
    const bytes = sampleInstance({ study: "2" });
    const files = [{ sopInstanceUID: "2.25.3.2.1.1", sizeBytes: bytes.length, crc32: crc32(bytes) }];
    await pick([zipOf({ study: "2" }, { study: "2", sop: "2" }, { study: "2", sop: "3" })], {
      [KEPT]: () => Response.json([kept]),
      "GET /api/studies/s1/kept-instances": () => Response.json({ isComplete: true, instances: files }),
      "GET /api/subscriptions/usage-stats": roomFor(0),
    });
    expect(await screen.findByText(/^Só 2 imagens faltam/)).toBeDefined();
    expect(send("Enviar exame").disabled).toBe(false);
  });

  test("what is missing of each of a great many, asking for a few of them at a time", async () => {
    const numbers = Array.from({ length: 12 }, (_, n) => String(n + 1));
    let [asking, most] = [0, 0];
    const answers = numbers.map((n): [string, Answer] => [
      `GET /api/studies/s${n}/kept-instances`,
      async () => {
        most = Math.max(most, ++asking);
        await Bun.sleep(5);
        asking--;
        return Response.json({ isComplete: true, instances: [] });
      },
    ]);
    await pick([zipOf(...numbers.map((study) => ({ study })))], {
      [KEPT]: () =>
        Response.json(
          numbers.map((n) => ({
            id: `s${n}`,
            studyInstanceUID: studyUID(n),
            imagesReceived: 1,
            createdAt: "2026-11-20",
          })),
        ),
      ...Object.fromEntries(answers),
      "GET /api/subscriptions/usage-stats": roomFor(20),
    });
    await waitFor(() => expect(send("Enviar 12 exames").disabled).toBe(false));
    expect(most).toBe(4);
  });

  test("all of one that is kept, if the server can't tell what", async () => {
    const kept = { id: "s1", studyInstanceUID: studyUID("1"), imagesReceived: 1, createdAt: "2026-11-20" };
    await pick([zipOf({})], {
      [KEPT]: () => Response.json([kept]),
      "GET /api/studies/s1/kept-instances": () => Response.json({ isComplete: false, instances: [] }),
    });
    expect(await group("Para enviar")).toHaveLength(1);
    await waitFor(() => expect(send("Enviar exame").disabled).toBe(false));
  });

  test("which of them exceed the plan, until one above is unticked", async () => {
    await pick([zipOf({}, { study: "2" }, { study: "3" })], {
      "GET /api/subscriptions/usage-stats": roomFor(1),
    });
    expect(await group("Não cabe no plano")).toHaveLength(2);
    expect(screen.getAllByRole("link", { name: "Ver planos" })).toHaveLength(2);
    expect(await group("Para enviar")).toHaveLength(1);
    expect(send("Enviar exame").disabled).toBe(false);
    const [first] = screen.getAllByRole("checkbox");
    if (first) await user.click(first);
    expect(await group("Para enviar")).toHaveLength(2);
    expect(await group("Não cabe no plano")).toHaveLength(1);
    expect(send("Enviar exame").disabled).toBe(false);
    expect(screen.getByRole("complementary", { name: "Resumo" }).textContent).toContain(
      `${usage.currentExamCount} → ${usage.currentExamCount + 1}`,
    );
  });

  test("which of them the plan has no storage for, and how much is missing", async () => {
    const zip = zipOf({}, { study: "2" });
    await pick([zip], {
      "GET /api/subscriptions/usage-stats": () =>
        Response.json({ ...usage, examsRemaining: 10, storageRemainingBytes: zip.size / 2 + 100 }),
    });
    expect((await group("Não cabe no plano"))[0]).toMatch(/Faltam 1 kB no seu plano para este exame\./);
    expect(await group("Para enviar")).toHaveLength(1);
    expect(send("Enviar exame").disabled).toBe(false);
  });

  test("that it holds exams of two people", async () => {
    const elements = { [TagHex.PatientName]: { vr: "PN", Value: ["Reis^Ana"] } } as const;
    await pick([zipOf({}, { study: "2", elements })]);
    const notice = await screen.findByText("duas pessoas");
    expect(notice.closest(".notice")?.textContent).toBe(
      "Há exames de duas pessoas aqui: João Conceição e Ana Reis. Confira antes de enviar.",
    );
  });
});

test("a ZIP without its end is told to be incomplete, and may be sent", async () => {
  const whole = new Uint8Array(await zipOf({}).arrayBuffer());
  await pick([new File([whole.slice(0, whole.length - 30)], "truncado.zip")]);
  expect((await screen.findByText(/^Este ZIP parece incompleto/)).textContent).toContain("Copie ou baixe");
  const send = await screen.findByRole<HTMLButtonElement>("button", { name: "Enviar exame" });
  expect(send.disabled).toBe(false);
});

describe("without a ZIP", () => {
  const dicom = (name: string, instance: SampleInstance) =>
    new File([sampleInstance(instance) as Uint8Array<ArrayBuffer>], name);

  test("a single image is sent as it is, packed", async () => {
    ToldRequest.install();
    await pick([dicom("IM1.dcm", {})]);
    expect(await group("Para enviar")).toHaveLength(1);
    expect(screen.getByText("IM1.dcm")).toBeDefined();
  });

  test("several images are one upload, even if two share a name", async () => {
    await pick([dicom("IM1", {}), dicom("IM1", { sop: "2" })]);
    expect((await group("Para enviar"))[0]).toContain("2 imagens");
  });

  test("a file of another kind is refused as one", async () => {
    await pick([new File(["%PDF-1.7"], "exame.rar")]);
    expect((await screen.findByRole("alert")).textContent).toStartWith("Apenas arquivos ZIP são aceitos.");
  });
});

test("what was not read of a source has a box of its own", async () => {
  answerCalls({});
  const files = [1, 2].map((n) => ({ path: `IM${n}`, file: new File(["12345"], `IM${n}`) }));
  const read = { kind: "folder", name: "CD", sizeBytes: 9, zip: undefined, files, fileCount: 2 } as const;
  const source = { id: "a", read: { ...read, prefilled: undefined, contents: undefined } };
  const ticked: [string, boolean][] = [];
  const decisions = {
    ...{ unticked: new Set<string>(), corrections: new Map(), opened: new Set<string>() },
    ...{ onTick: (key: string, is: boolean) => ticked.push([key, is]), onCorrect() {}, onOpen() {} },
  };
  const exams = { toSend: [], kept: [], over: [], tooLarge: [], isPending: false, assumed: [] };
  await renderView(
    <ExamContents
      exams={exams}
      decisions={decisions}
      unread={[]}
      rests={[{ source, files }]}
      examLimit={undefined}
    />,
  );
  expect(await group("Para enviar")).toEqual([
    "O resto de CD2 arquivos · 1 kBA leitura demorou demais aqui. O servidor olha estes arquivos: podem ser dos exames acima ou de outros.",
  ]);
  await user.click(screen.getByRole("checkbox", { name: "Enviar: O resto de CD" }));
  expect(ticked).toEqual([[restKey(source), false]]);
});
