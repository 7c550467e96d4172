import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";

/** Of the pictures on a sheet. */
const SCALE = 0.6;
const GAP = 16;

export interface Picture {
  file: string;
  width: number;
  caption: string;
}

/** Lays pictures out in rows with their captions, and takes that as `{name}.sheet.png` into `folder`. */
export async function takeSheet(
  browser: Browser,
  folder: string,
  name: string,
  rows: readonly (readonly Picture[])[],
): Promise<void> {
  const figure = ({ file, width, caption }: Picture) =>
    `<figure><figcaption>${caption}</figcaption><img src="${file}" width="${width * SCALE}"></figure>`;
  const html = `<!doctype html><meta charset="utf-8"><style>
    body { margin: ${GAP}px; background: #777; color: #fff; font: 600 13px sans-serif; width: max-content }
    h1 { font-size: 20px; margin: 0 0 ${GAP}px }
    div { display: flex; gap: ${GAP}px; align-items: start; margin-bottom: ${GAP}px }
    figure { margin: 0 } figcaption { margin-bottom: 4px } img { display: block }
  </style><h1>${name}</h1>${rows.map((row) => `<div>${row.map(figure).join("")}</div>`).join("")}`;
  const path = join(folder, `${name}.html`);
  writeFileSync(path, html);
  const page = await browser.newPage({ viewport: { width: sheetWidth(rows), height: 900 } });
  await page.goto(`file://${path}`);
  await page.screenshot({ path: join(folder, `${name}.sheet.png`), fullPage: true });
  await page.close();
}

function sheetWidth(rows: readonly (readonly Picture[])[]): number {
  const widths = rows.map((row) => row.reduce((sum, { width }) => sum + width * SCALE + GAP, GAP));
  return Math.ceil(Math.max(400, ...widths));
}
