import { deflateSync } from "node:zlib";
import { encodeWinAnsi, type FontName, fonts, textWidth } from "./pdf-font.ts";

/** A4, in points. */
export const PAGE = { width: 595, height: 842 };

export interface TextStyle {
  size: number;
  font?: FontName;
  /** From 0, black, to 1, white. */
  gray?: number;
  align?: "left" | "right";
}

/** A file within a PDF, which readers offer to save. */
export interface PdfAttachment {
  name: string;
  type: string;
  description: string;
  sizeBytes: number;
  /** Its bytes as zlib deflates them. */
  deflated: Uint8Array;
}

export interface PdfDocument {
  title: string;
  locale: string;
  createdAt: Date;
  pages: readonly PdfPage[];
  /** In the order of their names, which differ. */
  attachments?: readonly PdfAttachment[];
}

/** What is drawn on a page. Places are in points from its upper left corner; a text stands on its line. */
export class PdfPage {
  readonly #operations: string[] = [];

  get content(): string {
    return this.#operations.join("\n");
  }

  text(
    text: string,
    x: number,
    y: number,
    { size, font = "regular", gray = 0, align = "left" }: TextStyle,
  ): void {
    const start = align === "right" ? x - textWidth(text, font, size) : x;
    const hex = Buffer.from(encodeWinAnsi(text)).toString("hex");
    this.#operations.push(`${gray} g BT /${font} ${size} Tf ${place(start, y)} Td <${hex}> Tj ET`);
  }

  line(from: number, to: number, y: number, { width = 0.75, gray = 0 } = {}): void {
    this.#operations.push(`${gray} G ${width} w ${place(from, y)} m ${place(to, y)} l S`);
  }

  /** Squares in rows, such as a QR code, `side` points wide. */
  squares(rows: readonly (readonly boolean[])[], x: number, y: number, side: number): void {
    const step = side / rows.length;
    const squares = rows.flatMap((row, down) =>
      row.flatMap((isDark, across) =>
        isDark
          ? [`${place(x + across * step, y + (down + 1) * step)} ${number(step)} ${number(step)} re`]
          : [],
      ),
    );
    this.#operations.push(`0 g ${squares.join(" ")} f`);
  }
}

/** A PDF (ISO 32000-1). */
export function writePdf({ title, locale, createdAt, pages, attachments = [] }: PdfDocument): Uint8Array {
  const file = new PdfObjects();
  const fontNames = Object.entries(fonts).map(([name, base]) => {
    const id = file.add(`<< /Type /Font /Subtype /Type1 /BaseFont /${base} /Encoding /WinAnsiEncoding >>`);
    return `/${name} ${id} 0 R`;
  });
  const tree = file.reserve();
  const box = `[0 0 ${PAGE.width} ${PAGE.height}]`;
  const kids = pages.map((page) => {
    const content = file.addStream("", deflateSync(Buffer.from(page.content, "latin1")));
    const id = file.add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox ${box} /Contents ${content} 0 R ` +
        `/Resources << /Font << ${fontNames.join(" ")} >> >> >>`,
    );
    return `${id} 0 R`;
  });
  file.set(tree, `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${kids.length} >>`);
  const attached = attachments.length > 0 ? attach(file, attachments) : "";
  const root = file.add(
    `<< /Type /Catalog /Pages ${tree} 0 R /Lang ${textString(locale)} ` +
      `/ViewerPreferences << /DisplayDocTitle true >> ${attached} >>`,
  );
  const made = createdAt.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  const info = file.add(`<< /Title ${textString(title)} /CreationDate (D:${made}Z) >>`);
  return file.end(root, info);
}

/** Adds the files, and returns the entries of the catalog that name them. */
function attach(file: PdfObjects, attachments: readonly PdfAttachment[]): string {
  const specs = attachments.map(({ name, type, description, sizeBytes, deflated }) => {
    const subtype = type.replace("/", "#2F");
    const entries = `/Type /EmbeddedFile /Subtype /${subtype} /Params << /Size ${sizeBytes} >>`;
    const stream = file.addStream(entries, deflated);
    const spec = file.add(
      `<< /Type /Filespec /F ${textString(name)} /UF ${textString(name)} /Desc ${textString(description)} ` +
        `/AFRelationship /Data /EF << /F ${stream} 0 R /UF ${stream} 0 R >> >>`,
    );
    return { name: textString(name), spec: `${spec} 0 R` };
  });
  const names = specs.map(({ name, spec }) => `${name} ${spec}`).join(" ");
  const all = specs.map(({ spec }) => spec).join(" ");
  return `/AF [${all}] /Names << /EmbeddedFiles << /Names [${names}] >> >>`;
}

/** The objects of a file, numbered from 1, and the table that locates them (§7.5). */
class PdfObjects {
  readonly #objects: Buffer[] = [];

  reserve(): number {
    return this.#objects.push(Buffer.alloc(0));
  }

  set(id: number, body: string): void {
    this.#objects[id - 1] = Buffer.from(body, "latin1");
  }

  add(body: string): number {
    return this.#objects.push(Buffer.from(body, "latin1"));
  }

  addStream(entries: string, deflated: Uint8Array): number {
    const head = `<< ${entries} /Length ${deflated.length} /Filter /FlateDecode >>\nstream\n`;
    return this.#objects.push(
      Buffer.concat([Buffer.from(head, "latin1"), deflated, Buffer.from("\nendstream")]),
    );
  }

  end(root: number, info: number): Uint8Array {
    // The second line tells programs that the file is binary (§7.5.2).
    const parts: Uint8Array[] = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
    let length = parts[0]?.length ?? 0;
    const places = this.#objects.map((body, index) => {
      const at = length;
      const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
      parts.push(object);
      length += object.length;
      return at;
    });
    const rows = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
    const size = places.length + 1;
    parts.push(
      Buffer.from(
        `xref\n0 ${size}\n0000000000 65535 f \n${rows}` +
          `trailer\n<< /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${length}\n%%EOF\n`,
      ),
    );
    return Buffer.concat(parts);
  }
}

/** A text for people (§7.9.2.2), in UTF-16. */
function textString(text: string): string {
  return `<feff${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
}

function place(x: number, y: number): string {
  return `${number(x)} ${number(PAGE.height - y)}`;
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}
