import type { I18n } from "@lingui/core";
import { markLetterPx } from "./measure-layer.tsx";
import { LINE_HEIGHT, MARK_COLOURS, MARK_PX, type Mark, measureMarks } from "./measure-marks.ts";
import type { Visor } from "./use-visor.ts";

/**
 * The film as it is seen, with the exam's own overlays and the measures over it, and nothing that is written around it: texts there name
 * the exam. The film alone if it has another image than the measures, as it may while it is played. Undefined without a film, and where
 * the browser has no memory for it.
 */
export function savedPicture(visor: Visor, i18n: I18n): HTMLCanvasElement | undefined {
  const { shown, isCoarse, placement, measures, failure } = visor;
  const film = visor.canvas.current;
  if (!film) return undefined;
  const ratio = film.width / film.clientWidth;
  if (!shown || !placement || failure || !Number.isFinite(ratio)) return film;
  if (film.dataset.slice !== shown.slice.key) return film;
  const letterPx = markLetterPx();
  const size = { width: film.clientWidth, height: film.clientHeight, letterPx };
  const marks = measureMarks(measures, { shown, isCoarse, placement, film: size }, i18n);
  const overlays = visor.overlays.current;
  if (!overlays && marks.length === 0) return film;
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: film.width, height: film.height });
  const pen = sheet.getContext("2d", { alpha: false });
  if (!pen) return undefined;
  pen.drawImage(film, 0, 0);
  if (overlays) {
    const { a, b, c, d, e, f } = placement;
    const scale = ratio * Number(overlays.dataset.step);
    pen.setTransform(a * scale, b * scale, c * scale, d * scale, e * ratio, f * ratio);
    pen.drawImage(overlays, 0, 0);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const family = getComputedStyle(film).getPropertyValue("--font-mono") || "monospace";
  pen.font = `600 ${letterPx}px ${family}`;
  for (const mark of marks) drawMark(pen, mark, letterPx);
  return sheet;
}

function drawMark(
  pen: CanvasRenderingContext2D,
  { points, ellipse, lines, label }: Mark,
  letterPx: number,
): void {
  pen.lineWidth = MARK_PX.line;
  pen.strokeStyle = MARK_COLOURS.line;
  pen.beginPath();
  for (const { x, y } of points) pen.lineTo(x, y);
  for (const { x, y } of points) {
    pen.moveTo(x + MARK_PX.dot, y);
    pen.arc(x, y, MARK_PX.dot, 0, 2 * Math.PI);
  }
  if (ellipse) pen.ellipse(ellipse.x, ellipse.y, ellipse.across, ellipse.down, 0, 0, 2 * Math.PI);
  pen.stroke();
  pen.textAlign = label.end;
  pen.lineWidth = MARK_PX.edge;
  pen.strokeStyle = MARK_COLOURS.edge;
  pen.fillStyle = MARK_COLOURS.text;
  pen.lineJoin = "round";
  for (const [line, text] of lines.entries()) {
    const y = label.y + line * letterPx * LINE_HEIGHT;
    pen.strokeText(text, label.x, y);
    pen.fillText(text, label.x, y);
  }
}
