import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const text = (vr: string, ...values: unknown[]) => ({ vr, Value: values });
const items = (...values: object[]) => ({ vr: "SQ", Value: values });
const code = (meaning: string, value = "1", scheme = "99EX") =>
  items({
    [TagHex.CodeValue]: text("SH", value),
    [TagHex.CodingSchemeDesignator]: text("SH", scheme),
    [TagHex.CodeMeaning]: text("LO", meaning),
  });
const item = (type: string, name: string | undefined, members: object) => ({
  [TagHex.RelationshipType]: text("CS", "CONTAINS"),
  [TagHex.ValueType]: text("CS", type),
  ...(name !== undefined && { [TagHex.ConceptNameCodeSequence]: code(name) }),
  ...members,
});
const measured = {
  [TagHex.NumericValue]: text("DS", "3.5"),
  [TagHex.MeasurementUnitsCodeSequence]: code("milímetro", "mm", "UCUM"),
};

const report = {
  [TagHex.SOPClassUID]: text("UI", "1.2.840.10008.5.1.4.1.1.88.33"),
  [TagHex.Modality]: text("CS", "SR"),
  [TagHex.SpecificCharacterSet]: text("CS", "ISO_IR 192"),
  [TagHex.PatientName]: text("PN", { Alphabetic: "Assunção^Inês" }),
  [TagHex.ContentDate]: text("DA", "20260903"),
  [TagHex.ContentTime]: text("TM", "101500"),
  [TagHex.CompletionFlag]: text("CS", "PARTIAL"),
  [TagHex.CompletionFlagDescription]: text("LO", "sem o baço"),
  [TagHex.PreliminaryFlag]: text("CS", "PRELIMINARY"),
  [TagHex.VerificationFlag]: text("CS", "VERIFIED"),
  [TagHex.VerifyingObserverSequence]: items({
    [TagHex.VerifyingObserverName]: text("PN", { Alphabetic: "Leão^Inês^^Dra." }),
    [TagHex.VerifyingOrganization]: text("LO", "Clínica Sul"),
    [TagHex.VerificationDateTime]: text("DT", "20260904081500-0300"),
  }),
  [TagHex.ValueType]: text("CS", "CONTAINER"),
  [TagHex.ConceptNameCodeSequence]: code("Medidas do fígado"),
  [TagHex.ContentSequence]: items(
    item("CONTAINER", "Achados", {
      [TagHex.ContentSequence]: items(
        item("NUM", "Diâmetro", {
          [TagHex.MeasuredValueSequence]: items(measured),
          [TagHex.ContentSequence]: items(
            item("CODE", "Método", { [TagHex.ConceptCodeSequence]: code("Manual") }),
          ),
        }),
        item("NUM", "Volume", { [TagHex.NumericValueQualifierCodeSequence]: code("não medido") }),
        item("TEXT", "Nota", {
          [TagHex.TextValue]: text("UT", "<script>alert(1)</script>\nsegunda & última"),
        }),
        item("IMAGE", undefined, {
          [TagHex.ReferencedSOPSequence]: items({
            [TagHex.ReferencedSOPInstanceUID]: text("UI", "2.25.77"),
            [TagHex.ReferencedFrameNumber]: text("IS", 2, 3),
          }),
        }),
      ),
    }),
    item("NUM", "Fora da escala", {
      [TagHex.MeasuredValueSequence]: items({
        [TagHex.NumericValue]: text("DS", "99"),
        [TagHex.MeasurementUnitsCodeSequence]: code("centímetro", "G-D705", "SRT"),
      }),
      [TagHex.NumericValueQualifierCodeSequence]: code("valor fora da faixa"),
    }),
    item("DATE", "Próximo exame", { [TagHex.Date]: text("DA", "20270131") }),
    item("TEXT", "Vazio", {}),
    {
      [TagHex.RelationshipType]: text("CS", "INFERRED FROM"),
      [TagHex.ReferencedContentItemIdentifier]: text("UL", 1, 1, 1),
    },
  ),
  [TagHex.PixelData]: { vr: "OW" },
};

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Lê");
  await t.store(owner, sampleZip({ study: "1", elements: report }));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const pathOf = (study: string) =>
  `/dicomweb/studies/${studyUID(study)}/series/2.25.2.${study}.1/instances/2.25.3.${study}.1.1/rendered`;
const read = (headers: Record<string, string> = {}, as: Person = owner) =>
  t.call("GET", pathOf("1"), { as, headers });

test("a structured report is rendered as a page in the reader's language, without anything that runs", async () => {
  const answer = await read({ "accept-language": "pt-BR" });
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(answer.headers.get("content-language")).toBe("pt-BR");
  const html = await answer.text();
  expect(html).not.toContain("<script");
  expect(linesOf(html)).toEqual([
    "Medidas do fígado",
    "Medidas do fígado",
    ...[
      "Paciente",
      "Inês Assunção",
      "ID do paciente",
      "P 001",
      "Data de nascimento",
      "09-05-1961",
      "Clínica",
      "Clínica São José",
    ],
    ...["Escrito em", "03-09-2026 10:15:00", "Conteúdo", "Parcial, sem o baço, Preliminar"],
    ...["Verificação", "Verificado por Dra. Inês Leão, Clínica Sul, 04-09-2026 08:15:00 -0300"],
    "Achados",
    ...["Diâmetro", "3.5 mm", "Método", "Manual"],
    ...["Volume", "não medido"],
    ...["Nota", "<script>alert(1)</script>", "segunda & última"],
    "2.25.77 [2, 3]",
    ...["Fora da escala", "99 centímetro [valor fora da faixa]"],
    ...["Próximo exame", "31-01-2027"],
    ...["Vazio", "sem valor"],
    "Item 1.1.1",
  ]);
  expect(html).toContain('href="#item-1.1.1"');
  expect(html).toContain('id="item-1.1.1"');
});

test("only who may see it and takes HTML gets it", async () => {
  expect((await read({ accept: "image/jpeg" })).status).toBe(406);
  expect((await read({ accept: "image/jpeg, text/*;q=0.5" })).status).toBe(200);
  expect((await read({}, await t.addPerson("Outra Pessoa"))).status).toBe(404);
  expect(await (await read({ "accept-language": "en-US" })).text()).toContain("Verified by");
});

test("a report that is verified by nobody named, of a class by itself, says that it is verified", async () => {
  const { [TagHex.VerifyingObserverSequence]: _, ...unnamed } = report;
  const plan = "1.2.840.10008.5.1.4.1.1.70.1";
  await t.store(
    owner,
    sampleZip({ study: "2", elements: { ...unnamed, [TagHex.SOPClassUID]: text("UI", plan) } }),
  );
  const answer = await t.call("GET", pathOf("2"), { as: owner, headers: { "accept-language": "pt-BR" } });
  expect(linesOf(await answer.text())).toContain("Verificado");
});

test("a report is shown whose items are of any type that its writer made up, such as constructor", async () => {
  const types = ["constructor", "__proto__", "toString"];
  const made = items(...types.map((type) => item(type, `Tipo ${type}`, {})));
  await t.store(owner, sampleZip({ study: "40", elements: { ...report, [TagHex.ContentSequence]: made } }));
  const answer = await t.call("GET", pathOf("40"), { as: owner, headers: { "accept-language": "pt-BR" } });
  expect(answer.status).toBe(200);
  const shown = types.flatMap((type) => [`Tipo ${type}`, "sem valor"]);
  expect(linesOf(await answer.text()).slice(-shown.length)).toEqual(shown);
});

test("a report of more parts than a page has is refused before others wait for it", async () => {
  const many = { vr: "SQ", Value: Array.from({ length: 30_001 }, () => ({})) };
  const lines = items(item("TEXT", "a", { [TagHex.TextValue]: text("UT", "a\n".repeat(30_000)) }));
  for (const [at, content] of [many, lines].entries()) {
    const study = `${at + 3}`;
    await t.store(owner, sampleZip({ study, elements: { ...report, [TagHex.ContentSequence]: content } }));
    const answer = await t.call("GET", pathOf(study), { as: owner });
    expect([answer.status, (await answer.json()).code]).toEqual([422, "rendered.none"]);
  }
});

const samples = process.env.DICOM_SAMPLES;
const judge = Bun.which("dsr2html");
test.if(samples !== undefined && judge !== null)(
  "what DCMTK shows of a real report stands on the page",
  async () => {
    for (const name of ["reportsi.dcm", "test-SR.dcm"]) {
      const file = join(samples ?? "", "pydicom/test_files", name);
      const shown = Bun.spawnSync([judge ?? "", "-Er", "-Ec", "-Ee", "-Ei", file]).stdout.toString("latin1");
      const { studies } = await t.store(
        owner,
        writeTestZip([{ name, content: await Bun.file(file).bytes() }]),
      );
      const instances = await t.call("GET", `/dicomweb/studies/${studies[0]?.id}/instances`, { as: owner });
      const [one] = (await instances.json()) as Record<string, { Value: string[] }>[];
      const series = one?.[TagHex.SeriesInstanceUID]?.Value[0];
      const sop = one?.[TagHex.SOPInstanceUID]?.Value[0];
      const page = `/dicomweb/studies/${studies[0]?.id}/series/${series}/instances/${sop}/rendered`;
      const answer = await t.call("GET", page, { as: owner });
      const ours = linesOf(await answer.text()).map((line) => line.toLowerCase());
      const content = shown.slice(shown.indexOf("<hr>")).split('<div class="footnote">')[0] ?? "";
      const theirs = linesOf(content.replaceAll(/<small>[\s\S]*?<\/small>|<a [\s\S]*?<\/a>/g, ""))
        .filter((line) => !/^(W: |Annex)/.test(line))
        .map((line) => line.replace(/:$| \(\S+, \S+\)$/g, "").toLowerCase());
      expect(theirs.length).toBeGreaterThan(3);
      expect(theirs.filter((line) => !ours.includes(line))).toEqual([]);
    }
  },
);

/** The texts between the tags of a page. */
function linesOf(html: string): string[] {
  const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  return html
    .split(/<[^>]*>|\n/)
    .map((line) => line.replace(/&([^;]+);/g, (_, name: string) => named[name] ?? "?").trim())
    .filter((line) => line !== "");
}
