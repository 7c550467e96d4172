import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { ReportButton } from "../../../src/client/features/reports/report-button.tsx";
import { ReportDialog } from "../../../src/client/features/reports/report-dialog.tsx";
import { reportAskedAtom, shownReportAtom } from "../../../src/client/features/reports/report-state.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { act, fireEvent, screen, untilGone, userEvent, withDom } from "../../support/client/dom.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";
import { answerForms } from "../../support/client/sent-forms.ts";
import { skull } from "../../support/client/skull-study.ts";

withDom();
beforeEach(() => getDefaultStore().set(reportAskedAtom, undefined));

const pdf = new File(["%PDF-1.4"], "laudo.pdf", { type: "application/pdf" });
const picture = new File(["GIF89a"], "laudo.gif", { type: "image/gif" });
const REFUSED = "Arquivo inválido: Por favor, selecione apenas arquivos PDF.";

async function openDialog(study: Partial<Study> = {}, role: "user" | "doctor" = "user") {
  await renderView(
    <>
      <ReportButton study={{ ...skull, ...study }} />
      <ReportDialog />
    </>,
    { user: { role } },
  );
  const user = userEvent.setup({ applyAccept: false });
  const name = study.laudo ? "Ver laudo: Tomografia de crânio" : "Anexar laudo: Tomografia de crânio";
  await user.click(screen.getByRole("button", { name }));
  await screen.findByRole("dialog");
  return user;
}

const send = () => screen.getByRole("button", { name: "Anexar laudo" }) as HTMLButtonElement;
const input = () => document.querySelector("input[type=file]") as HTMLInputElement;
async function drop(file: File) {
  await act(async () => {
    fireEvent.drop(screen.getByRole("region", { name: "Arquivo PDF" }), { dataTransfer: { files: [file] } });
  });
}

describe("the report of a study", () => {
  test("is not asked to be dropped where nothing can be dropped", async () => {
    const media = spyOn(window, "matchMedia").mockImplementation(
      (media) =>
        Object.assign(new EventTarget(), { media, matches: media === "(pointer: coarse)" }) as MediaQueryList,
    );
    try {
      await openDialog();
      expect(screen.getByText("Um arquivo PDF")).toBeDefined();
      expect(screen.queryByText("Solte o PDF aqui")).toBeNull();
    } finally {
      media.mockRestore();
    }
  });

  test("opens at once if it exists, without a dialog that asks the same again", async () => {
    await renderView(<ReportButton study={{ ...skull, laudo: true }} />);
    await userEvent.setup().click(screen.getByRole("button", { name: "Ver laudo: Tomografia de crânio" }));
    expect(shownView()).toBe("laudo");
    expect(getDefaultStore().get(shownReportAtom)?.id).toBe("s1");
  });

  test("is offered by the dialog that found one attached meanwhile", async () => {
    const user = await openDialog();
    await act(async () => getDefaultStore().set(reportAskedAtom, { ...skull, laudo: true }));
    await user.click(screen.getByRole("button", { name: "Ver laudo" }));
    expect(shownView()).toBe("laudo");
  });

  test("can be attached by everybody who may see the study, which the call names by its id instead of its UID", async () => {
    const sent = answerForms({ status: 201 });
    const user = await openDialog({}, "doctor");
    expect(send().disabled).toBe(true);
    await user.upload(input(), pdf);
    await user.click(send());
    expect(await screen.findByText("Laudo anexado")).toBeDefined();
    await untilGone(() => screen.queryByRole("dialog"));
    const [{ path, form, headers } = { path: "", form: new FormData(), headers: new Map() }] = sent;
    expect(path).toBe("/api/studies/laudo/upload");
    expect(form.get("studyInstanceUID")).toBe("s1");
    expect((form.get("laudo") as File).name).toBe("laudo.pdf");
    expect(headers.get("Authorization")).toBe("Bearer t0ken");
  });

  test("can't be a picture, judged by its type when dropped and by its name when picked", async () => {
    const user = await openDialog();
    await drop(picture);
    expect((await screen.findByRole("alert")).textContent).toBe(REFUSED);
    await drop(pdf);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(send().disabled).toBe(false);
    await user.upload(input(), picture);
    expect((await screen.findByRole("alert")).textContent).toBe(REFUSED);
    expect(screen.getByText("laudo.pdf")).toBeDefined();
  });

  test("shows the server's message if somebody else attached one first", async () => {
    const body = {
      type: "about:blank",
      title: "report.exists",
      status: 409,
      code: "report.exists",
      message: "Este exame já tem um laudo.",
      requestId: "r-1",
    };
    answerForms({ status: 409, body });
    const user = await openDialog();
    await user.upload(input(), pdf);
    await user.click(send());
    expect((await screen.findByRole("alert")).textContent).toBe("Este exame já tem um laudo.");
    expect(screen.getByRole("dialog")).toBeDefined();
  });
});
