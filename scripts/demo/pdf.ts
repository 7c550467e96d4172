/** A4 in points; the origin is the lower left corner. */
const PAGE = { width: 595, height: 842, margin: 56 } as const;
const TEXT_WIDTH = PAGE.width - 2 * PAGE.margin;
const PAGES_MAX = 20;
/** Where the columns of a results table begin. */
const CELL_STARTS = [0, 190, 270, 345];

/** Advance widths of Helvetica from space to tilde, in thousandths of the size. */
const HELVETICA = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/** Characters of WinAnsiEncoding that Latin-1 does not have, by their code. */
const WIN_ANSI: Readonly<Record<string, number>> = {
  "€": 0x80,
  "•": 0x95,
  "–": 0x96,
  "—": 0x97,
  "“": 0x93,
  "”": 0x94,
};

export interface PdfPatient {
  name: string;
  birthDate: string;
  /** Shown under the name, as `Exame: TC de crânio` or `Pedido: 1234`. */
  details?: readonly string[];
}

export interface ReportPdf {
  title: string;
  /** A paragraph that ends in a colon is set as a heading. */
  paragraphs: readonly string[];
  patient: PdfPatient;
  institution?: string;
  /** Printed under a line at the end. */
  signature?: string;
}

export interface LabPdf {
  title: string;
  patient: PdfPatient;
  institution?: string;
  panels: readonly {
    name: string;
    results: readonly { analyte: string; value: string; unit: string; reference: string }[];
  }[];
}

/** A radiologist's report as PDF: header, patient, paragraphs, signature. */
export function writeReportPdf(report: ReportPdf): Uint8Array {
  const sheet = createSheet(report.institution ?? "Clínica São João");
  drawPatient(sheet, report.patient);
  sheet.gap(10);
  sheet.line(report.title, { size: 14, bold: true });
  sheet.gap(8);
  for (const paragraph of report.paragraphs) {
    const bold = paragraph.endsWith(":");
    sheet.paragraph(paragraph, { size: 10.5, bold });
    sheet.gap(bold ? 1 : 7);
  }
  if (report.signature) {
    sheet.gap(34);
    sheet.rule(220);
    sheet.line(report.signature, { size: 10 });
  }
  return sheet.finish(report.title);
}

/** A laboratory's results as PDF: one table a panel. */
export function writeLabPdf(lab: LabPdf): Uint8Array {
  const sheet = createSheet(lab.institution ?? "Laboratório Estação Saúde");
  drawPatient(sheet, lab.patient);
  sheet.gap(10);
  sheet.line(lab.title, { size: 14, bold: true });
  for (const panel of lab.panels) {
    sheet.gap(14);
    sheet.line(panel.name, { size: 11, bold: true });
    sheet.gap(5);
    sheet.rule();
    sheet.gap(2);
    sheet.cells(["Analito", "Resultado", "Unidade", "Referência"], { size: 8.5, bold: true });
    for (const row of panel.results)
      sheet.cells([row.analyte, row.value, row.unit, row.reference], { size: 10 });
  }
  return sheet.finish(lab.title);
}

function drawPatient(sheet: Sheet, patient: PdfPatient): void {
  sheet.line(`Paciente: ${patient.name}`, { size: 11, bold: true });
  sheet.line(`Nascimento: ${patient.birthDate}`, { size: 10 });
  for (const detail of patient.details ?? []) sheet.line(detail, { size: 10 });
  sheet.gap(7);
  sheet.rule();
  sheet.gap(4);
}

interface Style {
  size: number;
  bold?: boolean;
}

interface Sheet {
  line(text: string, style: Style): void;
  paragraph(text: string, style: Style): void;
  /** Four columns of one table row. */
  cells(texts: readonly string[], style: Style): void;
  rule(width?: number): void;
  gap(points: number): void;
  finish(title: string): Uint8Array;
}

/** Sets lines from the top down and begins a page when one is full. */
function createSheet(institution: string): Sheet {
  const pages: string[][] = [];
  let y = 0;
  const put = (text: string, x: number, style: Style): void => {
    const font = style.bold ? "F2" : "F1";
    pages.at(-1)?.push(`BT /${font} ${style.size} Tf ${x} ${y.toFixed(1)} Td ${pdfString(text)} Tj ET`);
  };
  const rule = (width: number = TEXT_WIDTH): void => {
    pages.at(-1)?.push(`0.6 w ${PAGE.margin} ${y.toFixed(1)} m ${PAGE.margin + width} ${y.toFixed(1)} l S`);
  };
  const beginPage = (): void => {
    if (pages.length >= PAGES_MAX) throw new RangeError(`more than ${PAGES_MAX} pages`);
    pages.push([]);
    y = PAGE.height - PAGE.margin;
    put(institution, PAGE.margin, { size: 16, bold: true });
    y -= 12;
    rule();
    y -= 10;
  };
  const advance = (size: number): void => {
    y -= size * 1.4;
    if (y >= PAGE.margin) return;
    beginPage();
    y -= size * 1.4;
  };
  beginPage();
  return {
    line(text, style) {
      advance(style.size);
      put(text, PAGE.margin, style);
    },
    paragraph(text, style) {
      for (const line of wrap(text, style)) {
        advance(style.size);
        put(line, PAGE.margin, style);
      }
    },
    cells(texts, style) {
      advance(style.size);
      texts.forEach((text, i) => {
        put(text, PAGE.margin + (CELL_STARTS[i] ?? 0), style);
      });
    },
    rule,
    gap(points) {
      y -= points;
    },
    finish: (title) => assemble(pages, title),
  };
}

function wrap(text: string, style: Style): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && widthOf(longer, style) > TEXT_WIDTH) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Width in points; accents do not widen a letter, and bold is a little wider. */
function widthOf(text: string, { size, bold }: Style): number {
  let width = 0;
  for (const character of text.normalize("NFD")) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x300 || code > 0x36f) width += HELVETICA[code - 0x20] ?? 556;
  }
  return (width * size * (bold ? 1.06 : 1)) / 1000;
}

/** A string object in WinAnsiEncoding as hexadecimal digits, so that nothing needs escaping (ISO 32000 §7.3.4.3). */
function pdfString(text: string): string {
  const bytes = [...text.normalize("NFC")].map((character) => {
    const code = WIN_ANSI[character] ?? character.codePointAt(0) ?? 0x3f;
    return code > 0xff ? 0x3f : code;
  });
  return `<${Buffer.from(bytes).toString("hex")}>`;
}

/** Objects, cross-reference table and trailer (ISO 32000 §7.5). */
function assemble(pages: readonly string[][], title: string): Uint8Array {
  const firstPage = 6;
  const pageIds = pages.map((_, i) => firstPage + i * 2);
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /Lang (pt-BR) >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] >>`,
    font("Helvetica"),
    font("Helvetica-Bold"),
    `<< /Title ${pdfString(title)} /Producer (Exameteca) >>`,
    ...pages.flatMap((operators, i) => {
      const stream = operators.join("\n");
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents ${firstPage + i * 2 + 1} 0 R ` +
          "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, "latin1");
}
