import { wrapText } from "../../documents/pdf-font.ts";
import { PAGE, PdfPage } from "../../documents/pdf-writer.ts";
import { qrModules } from "../../render/qr-code.ts";

export const LEFT = 56;
export const RIGHT = PAGE.width - LEFT;
const TOP = 80;
const BOTTOM = PAGE.height - 48;
const FOOT = PAGE.height - 28;
const VALUES = LEFT + 92;
const DATES = 370;
const QR_SIDE = 132;
const FAINT = 0.4;
const TEXT = { size: 10.5 } as const;
const LINE = 16;
const NOTE = { font: "regular", size: 9, maxLines: 12 } as const;

/** The check of one exam. */
interface Fingerprint {
  /** What the QR code says. */
  address: string;
  title: string;
  /** Which exam of several it is. */
  exam: string | undefined;
  /** Whose exam it is, if the paper is about several patients. */
  patient: string | undefined;
  root: string;
  note: string;
}

/** The parts of a receipt from top to bottom, on as many pages as they need. */
export class Sheet {
  readonly pages: PdfPage[] = [new PdfPage()];
  /** Where the next part begins. */
  y = TOP;

  get page(): PdfPage {
    return this.pages.at(-1) ?? new PdfPage();
  }

  /** Names and values; those without a value are left out. */
  facts(facts: readonly (readonly [string, string])[]): void {
    for (const [name, value] of facts.filter(([, value]) => value !== "")) {
      this.page.text(name, LEFT, this.y, { ...TEXT, gray: FAINT });
      const width = RIGHT - VALUES;
      for (const line of wrapText(value, { font: "regular", ...TEXT, width, maxLines: 6 })) {
        this.page.text(line, VALUES, this.y, TEXT);
        this.y += LINE;
      }
      this.y += 4;
    }
    this.y += 16;
  }

  headings([what, date, images]: readonly [string, string, string]): void {
    const head = { size: 10, gray: FAINT };
    this.page.text(what, LEFT, this.y, head);
    this.page.text(date, DATES, this.y, head);
    this.page.text(images, RIGHT, this.y, { ...head, align: "right" });
    this.page.line(LEFT, RIGHT, this.y + 8, { gray: 0.6 });
    this.y += 26;
  }

  /** An exam, and below it whose it is, if the paper is about several patients. */
  row([what, date, images]: readonly [string, string, string], patient = ""): void {
    const width = DATES - LEFT - 16;
    const about = wrapText(what, { font: "regular", ...TEXT, width, maxLines: 3 });
    const lines = [...about, ...wrapText(patient, { font: "regular", ...TEXT, width, maxLines: 2 })];
    this.#keepTogether(lines.length * LINE + 12);
    for (const [index, line] of lines.entries()) {
      const gray = index < about.length ? 0 : FAINT;
      this.page.text(line, LEFT, this.y + index * LINE, { ...TEXT, gray });
      if (index > 0) continue;
      this.page.text(date, DATES, this.y, TEXT);
      this.page.text(images, RIGHT, this.y, { ...TEXT, align: "right" });
    }
    this.y += lines.length * LINE;
    this.page.line(LEFT, RIGHT, this.y - 4, { gray: 0.85 });
    this.y += 12;
  }

  total(text: string, images: string): void {
    this.#keepTogether(20);
    this.y += 4;
    this.page.text(text, LEFT, this.y, { ...TEXT, font: "bold" });
    this.page.text(images, RIGHT, this.y, { ...TEXT, font: "bold", align: "right" });
    this.page.line(LEFT, RIGHT, this.y + 10, { gray: 0.85 });
    this.y += 40;
  }

  fingerprint({ address, title, exam, patient = "", root, note }: Fingerprint): void {
    this.#keepTogether(QR_SIDE);
    const { page, y } = this;
    page.squares(qrModules(address), LEFT, y, QR_SIDE);
    const x = LEFT + QR_SIDE + 24;
    const width = RIGHT - x;
    const name = exam ? wrapText(exam, { font: "bold", size: 11, width, maxLines: 2 }) : [title];
    for (const [index, line] of name.entries())
      page.text(line, x, y + 12 + index * 14, { size: 11, font: "bold" });
    const whose = wrapText(patient, { ...NOTE, width, maxLines: 1 });
    const below = y + 32 + (name.length - 1 + whose.length) * 14;
    for (const line of whose) page.text(line, x, below - 20, { size: 9, gray: FAINT });
    for (const [index, line] of (root.match(/.{32}/g) ?? []).entries())
      page.text(line.replace(/(.{4})(?!$)/g, "$1 "), x, below + index * 15, { size: 9.5, font: "mono" });
    for (const [index, line] of wrapText(note, { ...NOTE, width }).entries())
      page.text(line, x, below + 36 + index * 12, { size: 9, gray: FAINT });
    this.y += QR_SIDE + 28;
  }

  closing(text: string): void {
    const lines = wrapText(text, { ...NOTE, width: RIGHT - LEFT });
    this.#keepTogether(lines.length * 12);
    for (const [index, line] of lines.entries())
      this.page.text(line, LEFT, this.y + index * 12, { size: 9, gray: FAINT });
  }

  /** Names the paper below each of several pages, which may come apart. */
  numberPages(name: string): void {
    if (this.pages.length === 1) return;
    const style = { size: 9, gray: FAINT, align: "right" } as const;
    for (const [index, page] of this.pages.entries())
      page.text(`${name} · ${index + 1}/${this.pages.length}`, RIGHT, FOOT, style);
  }

  /** Begins a new page if so much does not fit on this one. */
  #keepTogether(height: number): void {
    if (this.y + height <= BOTTOM) return;
    this.pages.push(new PdfPage());
    this.y = TOP;
  }
}
